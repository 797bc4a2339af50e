// SPDX-License-Identifier: MIT
#include "trace/packet_check.hpp"

#include <string>

#include "trace/malformed.hpp"

namespace memprof::inline v0::trace {

using encoding::load;

namespace {

/// memtrace's packets are at most 32768 bytes in all; its reader takes events of as much.
constexpr std::size_t most_payload = encoding::packet_capacity;

constexpr std::size_t at_size = 4;
constexpr std::size_t at_begin = 8;
constexpr std::size_t at_end = 16;
constexpr std::size_t at_version = 28;
constexpr std::size_t at_pid = 30;

}  // namespace

bool is_packet(std::byte const* at) noexcept {
  return load<std::uint32_t>(at) == encoding::packet_magic;
}

int packet_version(std::byte const* at) {
  if (!is_packet(at)) throw malformed{"this is not the beginning of a packet", at};
  int const version = load<std::uint16_t>(at + at_version);
  if (version < 1 || version > encoding::newest_version) {
    throw malformed{"version " + std::to_string(version) + " of the format is not known (1 to " +
                        std::to_string(encoding::newest_version) + " are)",
                    at + at_version};
  }
  return version;
}

packet_facts read_packet_header(std::byte const* at, int version) {
  packet_facts facts;
  facts.version = version;
  facts.header_size = encoding::header_size(version);
  std::uint32_t const bits = load<std::uint32_t>(at + at_size);
  facts.size = bits / 8;
  if (bits % 8 != 0 || facts.size < facts.header_size ||
      facts.size > facts.header_size + most_payload) {
    throw malformed{"a packet of " + std::to_string(bits) + " bits", at + at_size};
  }
  facts.begin = load<std::int64_t>(at + at_begin);
  facts.end = load<std::int64_t>(at + at_end);
  if (facts.begin < 0) throw malformed{"a packet begins before 1970", at + at_begin};
  if (facts.begin > facts.end) throw malformed{"a packet ends before it begins", at + at_end};
  std::byte const* rest = at + at_pid;
  auto const take = [&rest]<typename Integer>(Integer& field) {
    field = load<Integer>(rest);
    rest += sizeof field;
  };
  take(facts.pid);
  if (encoding::has_domains(version)) take(facts.domain);
  take(facts.check_index);
  take(facts.check_predicted);
  take(facts.check_code);
  std::byte const* const ids = rest;
  take(facts.first_id);
  take(facts.end_id);
  if (facts.first_id < 0) throw malformed{"the object ids of a packet are negative", ids};
  if (facts.first_id > facts.end_id) {
    throw malformed{"the object ids of a packet go backwards", ids};
  }
  return facts;
}

}  // namespace memprof::inline v0::trace
