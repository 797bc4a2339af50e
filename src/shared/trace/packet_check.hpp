// SPDX-License-Identifier: MIT
/// \file
/// The header of a packet, and whether it is valid.
#pragma once

#include <cstddef>
#include <cstdint>

#include "encoding/encoding.hpp"

namespace memprof::inline v0::trace {

/// As in the file; times and ids have a sign there.
struct packet_facts {
  int version = 0;
  std::uint16_t domain = 0;
  std::size_t size = 0;  ///< bytes, the header among them
  std::size_t header_size = 0;
  std::int64_t begin = 0;  ///< us since 1970
  std::int64_t end = 0;
  std::uint64_t pid = 0;
  std::uint16_t check_index = 0;
  std::uint16_t check_predicted = 0;
  std::uint64_t check_code = 0;
  std::int64_t first_id = 0;
  std::int64_t end_id = 0;
};

/// Does a packet begin with these 4 bytes?
bool is_packet(std::byte const* at) noexcept;

/// The version of a packet, from its first 30 bytes: 1 to 3.
///
/// \throws malformed if it is.
int packet_version(std::byte const* at);

/// \param at a whole header, of a version that `packet_version` found.
/// \throws malformed if it is.
packet_facts read_packet_header(std::byte const* at, int version);

}  // namespace memprof::inline v0::trace
