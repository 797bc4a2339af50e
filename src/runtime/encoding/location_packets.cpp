// SPDX-License-Identifier: MIT
#include "encoding/location_packets.hpp"

#include <algorithm>

#include "encoding/byte_writer.hpp"

namespace memprof::encoding {

namespace {

constexpr std::size_t event_header_size = 4;
constexpr std::size_t budget = location_budget;

/// Stands for locations that do not fit.
constexpr std::array<trace::location, 1> unknown{trace::location{"<unknown>", "??", 1, 1, 1}};

std::size_t most_bytes(std::span<trace::location const> locations) noexcept {
  std::size_t bytes = location_event_bytes;
  for (trace::location const& l : locations) bytes += bytes_of_location(l);
  return bytes;
}

std::span<trace::location const> fitting(std::span<trace::location const> locations) noexcept {
  if (locations.size() > most_locations || most_bytes(locations) > budget) return unknown;
  return locations;
}

void put_location(byte_writer& out, trace::location const& l, name_tables& names) noexcept {
  std::string_view const file = text_before_zero(l.filename);
  std::string_view const function = text_before_zero(l.defname);
  auto const codes = names.encode(file, function);
  std::uint64_t const line = std::min(l.line, 0xFFFFFu);
  std::uint64_t const start = std::min(l.start_char, 0xFFu);
  std::uint64_t const end = std::min(l.end_char, 0x3FFu);
  std::uint64_t const packed = line | start << 20 | end << 28 | std::uint64_t{codes.file} << 38 |
                               std::uint64_t{codes.function} << 43;
  out.u32(static_cast<std::uint32_t>(packed));
  out.u16(static_cast<std::uint16_t>(packed >> 32));
  if (codes.file == new_name) out.text(file);
  if (codes.function == new_name) out.text(function);
}

}  // namespace

bool location_packets::write(std::span<trace::location_code const> codes,
                             packet_header const& header,
                             encoder_callbacks const& outside) noexcept {
  std::byte* const begin = packet_.data();
  std::byte* const events = begin + header_size(header.version);
  byte_writer out(events);
  auto const close = [&] {
    auto const size = static_cast<std::size_t>(out.position() - begin);
    byte_writer head(begin);
    put_header(head, header, size);
    out = byte_writer(events);
    return outside.write(outside.context, {begin, size});
  };
  for (trace::location_code const code : codes) {
    auto const locations = fitting(outside.locate(outside.context, code));
    auto const left = static_cast<std::size_t>(begin + packet_.size() - out.position());
    // memtrace compares with the budget alone and fails when just the event's header is too much.
    if ((left <= budget || left < event_header_size + most_bytes(locations)) && !close()) {
      return false;
    }
    put_event_header(out, header.begin, event_location);
    out.u64(code);
    out.u8(static_cast<std::uint8_t>(locations.size()));
    for (trace::location const& l : locations) put_location(out, l, names_);
  }
  return codes.empty() || close();
}

}  // namespace memprof::encoding
