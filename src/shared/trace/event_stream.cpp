// SPDX-License-Identifier: MIT
//
// Decoding is a loop over bytes in memory. Fields are read first and compared with the packet's end
// once for each event: what lies behind the end is other bytes of the buffer, see packet_source.
#include "trace/event_stream.hpp"

#include <charconv>
#include <iterator>
#include <memory>
#include <utility>

namespace memprof::inline v0::trace {

using encoding::load;

namespace {

[[gnu::noinline]] std::int64_t long_vint(std::byte const*& at, unsigned tag) noexcept {
  auto const take = [&at]<typename Integer>(Integer) -> std::int64_t {
    auto const value = load<Integer>(at);
    at += sizeof value;
    return static_cast<std::int64_t>(value);
  };
  if (tag == 253) return take(std::uint16_t{});
  if (tag == 254) return take(std::int32_t{});
  return take(std::int64_t{});
}

inline std::int64_t vint(std::byte const*& at) noexcept {
  auto const tag = static_cast<unsigned>(*at++);
  if (tag <= 252) [[likely]]
    return tag;
  return long_vint(at, tag);
}

/// Bytes of a codeword by its tag.
inline std::size_t codeword_size(std::byte const* at) noexcept {
  return 0x0A030202u >> (static_cast<unsigned>(*at) & 3) * 8 & 0xFF;
}

inline std::byte const* skip_codewords(std::byte const* at, std::byte const* end,
                                       std::size_t count) noexcept {
  for (; count > 0 && at <= end; --count) at += codeword_size(at);
  return at;
}

}  // namespace

event_stream::event_stream(int descriptor, std::string name, reader_options options)
    : packets_(descriptor, std::move(name), options), backtraces_(options.backtraces) {
  try {
    packets_.open();
  } catch (malformed const& problem) {
    throw packets_.error(problem);
  }
}

bool event_stream::next_of_any_kind(event& e) {
  for (;;) {
    try {
      return decode(e);
    } catch (malformed const& problem) {
      if (!packets_.options().recover) {
        packets_.finish();
        throw packets_.error(problem);
      }
      packets_.recover_from(problem);
    } catch (...) {
      packets_.finish();
      throw;
    }
  }
}

// The path of nearly every event, in few instructions: a tail call and no other calls. Everything
// else is left to `decode`.
bool event_stream::next(event& e) {
  packet_in_hand& packet = packets_.packet;
  std::byte const* const at = packet.at;
  auto const head = load<std::uint32_t>(at);
  std::int64_t const time = packet.begin + ((head - packet.low_begin) & encoding::event_time_mask);
  std::uint32_t const id = head >> encoding::event_time_bits;
  if (time > packet.latest || time < packet.last_time) [[unlikely]]
    return next_of_any_kind(e);
  if (id - encoding::event_promotion >= 2) return next_allocation(e, time, id);
  std::byte const* end = at + 5;
  std::uint64_t delta = load<std::uint8_t>(at + 4);
  if (delta > 252) {
    if (delta > 253) [[unlikely]]
      return next_of_any_kind(e);
    delta = load<std::uint16_t>(end);
    end += sizeof(std::uint16_t);
  }
  std::uint64_t const object = packet.next_id - 1 - delta;
  if (end > packet.end || static_cast<std::int64_t>(object) < 0) [[unlikely]] {
    return next_of_any_kind(e);
  }
  packet.event = at;
  packet.at = end;
  packet.last_time = time;
  e.kind = static_cast<event_kind>(id - encoding::event_allocation);
  e.source = heap::minor;
  e.domain = packet.domain_id;
  e.thread = 0;
  e.time = std::chrono::microseconds(time);
  e.object = object;
  e.length = 0;
  e.n_samples = 0;
  e.common_prefix = 0;
  e.backtrace = {};
  return true;
}

inline bool event_stream::next_allocation(event& e, std::int64_t time, std::uint32_t id) {
  packet_in_hand& packet = packets_.packet;
  std::byte const* const at = packet.at;
  std::uint32_t const length = id - encoding::event_short_allocation;
  std::uint64_t const prefix = load<std::uint8_t>(at + 4);
  if (length - 1 >= encoding::longest_short_allocation || backtraces_ || prefix > 252) {
    return next_of_any_kind(e);
  }
  std::byte const* end = at + 6;
  for (unsigned count = load<std::uint8_t>(at + 5); count > 0; --count) end += codeword_size(end);
  if (end > packet.end) [[unlikely]]
    return next_of_any_kind(e);
  packet.event = at;
  packet.at = end;
  packet.last_time = time;
  e.kind = event_kind::allocation;
  e.source = heap::minor;
  e.domain = packet.domain_id;
  e.thread = 0;
  e.time = std::chrono::microseconds(time);
  e.object = packet.next_id++;
  e.length = length;
  e.n_samples = 1;
  e.common_prefix = prefix;
  e.backtrace = {};
  return true;
}

bool event_stream::decode(event& e) {
  packet_in_hand& packet = packets_.packet;
  for (;;) {
    if (packet.at == packet.end) {
      if (!packets_.next()) return false;
      continue;
    }
    std::byte const* at = packet.at;
    packet.event = at;
    auto const head = load<std::uint32_t>(at);
    at += sizeof head;
    std::int64_t time = packet.begin + ((head - packet.low_begin) & encoding::event_time_mask);
    if (time > packet.latest || time < packet.last_time) [[unlikely]]
      time = odd_time(time);
    std::uint32_t const id = head >> encoding::event_time_bits;
    bool whole = false;
    if (id - encoding::event_short_allocation - 1 < encoding::longest_short_allocation) {
      whole = short_allocation(at, id, e);
    } else if (id == encoding::event_promotion || id == encoding::event_collection) {
      whole = id_event(at, id, e);
    } else if (id == encoding::event_allocation) {
      whole = long_allocation(at, e);
    } else {
      other_event(at, id);
    }
    if (at > packet.end) throw malformed{event_cut, packet.event};
    packet.at = at;
    packet.last_time = time;
    if (!whole) continue;
    e.domain = packet.domain_id;
    e.time = std::chrono::microseconds(time);
    return true;
  }
}

inline bool event_stream::short_allocation(std::byte const*& at, std::uint32_t id, event& e) {
  e.kind = event_kind::allocation;
  e.source = heap::minor;
  e.length = id - encoding::event_short_allocation;
  e.n_samples = 1;
  std::int64_t const prefix = vint(at);
  auto const codewords = load<std::uint8_t>(at++);
  return backtrace(at, prefix, codewords, e);
}

bool event_stream::id_event(std::byte const*& at, std::uint32_t id, event& e) {
  std::int64_t const delta = vint(at);
  std::uint64_t const object = packets_.packet.next_id - 1 - static_cast<std::uint64_t>(delta);
  e = event{};
  e.kind = id == encoding::event_promotion ? event_kind::promotion : event_kind::collection;
  e.object = object;
  return (delta >= 0 && static_cast<std::int64_t>(object) >= 0) || odd_object(at, id, object);
}

inline bool event_stream::backtrace(std::byte const*& at, std::int64_t prefix,
                                    std::size_t codewords, event& e) {
  packet_in_hand& packet = packets_.packet;
  e.object = packet.next_id++;
  e.common_prefix = static_cast<std::uint64_t>(prefix);
  e.thread = 0;
  if (!backtraces_) {
    at = skip_codewords(at, packet.end, codewords);
    e.backtrace = {};
  } else {
    backtrace_decoder& decoder = packet.domain->backtraces;
    at = decoder.decode(at, packet.end, e.common_prefix, codewords);
    e.backtrace = decoder.last();
    if (decoder.is_odd()) [[unlikely]]
      odd_backtrace(at);
    if (!e.backtrace.empty() && encoding::is_thread_code(e.backtrace.front())) take_thread(e);
  }
  return prefix >= 0 || odd_event(at, "a negative common prefix");
}

/// The first entry of the backtrace is a thread, if its location says so.
void event_stream::take_thread(event& e) {
  location_code const code = e.backtrace.front();
  if (code != last_thread_) {
    auto const found = locations_.find(code);
    if (!found || !encoding::thread_of(code, *found)) return;
    last_thread_ = code;
  }
  e.thread = encoding::thread_number(code);
  e.backtrace = e.backtrace.subspan(1);
  if (e.common_prefix > 0) --e.common_prefix;
}

bool event_stream::long_allocation(std::byte const*& at, event& e) {
  std::int64_t const length = vint(at);
  std::int64_t const n_samples = vint(at);
  auto const source = load<std::uint8_t>(at++);
  std::int64_t const prefix = vint(at);
  auto const codewords = load<std::uint16_t>(at);
  at += sizeof codewords;
  e.kind = event_kind::allocation;
  e.source = static_cast<heap>(source);
  e.length = static_cast<std::uint64_t>(length);
  e.n_samples = static_cast<std::uint64_t>(n_samples);
  bool const whole = backtrace(at, prefix, codewords, e);
  if (length < 0) return odd_event(at, "a block of negative length");
  if (n_samples < 1) return odd_event(at, "an allocation without samples");
  if (source > static_cast<std::uint8_t>(heap::external)) {
    return odd_event(at, "an allocation from an unknown source");
  }
  return whole;
}

/// Events that are not for the user: locations, and invalid ones.
void event_stream::other_event(std::byte const*& at, std::uint32_t id) {
  packet_in_hand& packet = packets_.packet;
  need_whole(at);
  if (id == encoding::event_trace_info) throw malformed{"a second trace-info", packet.event};
  if (id != encoding::event_location) {
    throw malformed{"unknown event code " + std::to_string(id), packet.event};
  }
  byte_reader in(at, packet.end);
  if (!packet.domain->names) packet.domain->names = std::make_unique<name_lists>();
  locations_.read(in, *packet.domain->names);
  at = in.position();
}

std::span<location const> event_stream::locations(location_code code) {
  if (auto const found = locations_.find(code)) return *found;
  char text[2 + 16 + 1] = "0x";
  auto const end = std::to_chars(text + 2, std::end(text), code, 16).ptr;
  if (packets_.options().recover) {
    if (!std::exchange(unknown_noticed_, true)) {
      packets_.notice("the locations of some codes are missing from the trace; the first is " +
                          std::string(text, end) + " in the event",
                      packets_.packet.event);
    }
    return {};
  }
  throw format_error(packets_.name(),
                     "the locations of code " + std::string(text, end) +
                         " are missing from the trace; an event uses it",
                     packets_.event_offset());
}

}  // namespace memprof::inline v0::trace
