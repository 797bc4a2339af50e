// SPDX-License-Identifier: MIT
/// \file
/// Writing the header of a packet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "encoding/byte_writer.hpp"
#include "encoding/format.hpp"

namespace memprof::encoding {

/// Before the events of a packet are decoded, bucket `index` of the cache must be like this.
struct cache_check {
  std::uint16_t index = no_verification;
  std::uint16_t predicted = 0;
  std::uint64_t code = 0;
};

struct packet_header {
  int version = newest_version;
  std::uint16_t domain = 0;
  std::uint64_t pid = 0;
  std::uint64_t begin = 0;  ///< us since 1970
  std::uint64_t end = 0;    ///< of the last event
  std::uint64_t first_id = 0;
  std::uint64_t end_id = 0;  ///< after the last one
  cache_check check;
};

/// \param size of the whole packet, in bytes.
inline void put_header(byte_writer& out, packet_header const& header, std::size_t size) noexcept {
  out.u32(packet_magic);
  out.u32(static_cast<std::uint32_t>(size * 8));
  out.u64(header.begin);
  out.u64(header.end);
  out.u32(0);
  out.u16(static_cast<std::uint16_t>(header.version));
  out.u64(header.pid);
  if (has_domains(header.version)) out.u16(header.domain);
  out.u16(header.check.index);
  out.u16(header.check.predicted);
  out.u64(header.check.code);
  out.u64(header.first_id);
  out.u64(header.end_id);
}

inline void put_event_header(byte_writer& out, std::uint64_t time, std::uint32_t event) noexcept {
  out.u32(static_cast<std::uint32_t>(time & event_time_mask) | event << event_time_bits);
}

}  // namespace memprof::encoding
