// SPDX-License-Identifier: MIT
/// \file
/// The layout of a trace file: numbers on which the reader and the encoder must agree.
///
/// A file is a row of packets; each is a header and then events. All numbers are little-endian and
/// none is aligned. The first packet has one event, `event_trace_info`; the others have either
/// locations only or allocations, promotions and collections only.
///
///     packet header                    event header (u32)
///     at (v3 / v1, v2)                 bits 0-24   time, its low 25 bits, in microseconds
///      0   0  u32  magic               bits 25-31  event id
///      4   4  u32  size in bits
///      8   8  u64  begin, us           time of an event: the first one at or after the packet's
///     16  16  u64  end, us             begin that has these low bits
///     24  24  u32  0
///     28  28  u16  version             vint: one byte t;  t <= 252: t
///     30  30  u64  pid                                    253: then u16
///     38   -  u16  domain                                 254: then i32
///     40  38  u16  verify: bucket                         255: then i64
///     42  40  u16  verify: pred
///     44  42  u64  verify: code        codeword (u16):  bits 0-1 tag, bits 2-15 bucket
///     52  50  u64  first object id       0 hit, 1 hit and 1 predicted,
///     60  58  u64  id after the last     2 hit, then u8 predicted,  3 miss, then u64 code
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace memprof::encoding {

inline constexpr std::uint32_t packet_magic = 0xC1FC1FC1;
inline constexpr std::size_t packet_capacity = 32768;
/// Up to and with the version, a header is the same in all versions.
inline constexpr std::size_t common_header_size = 30;
inline constexpr int newest_version = 3;

constexpr bool has_domains(int version) noexcept { return version >= 3; }
constexpr bool has_context(int version) noexcept { return version >= 2; }
constexpr std::size_t header_size(int version) noexcept { return has_domains(version) ? 68 : 66; }

inline constexpr std::uint32_t event_trace_info = 0;
inline constexpr std::uint32_t event_location = 1;
inline constexpr std::uint32_t event_allocation = 2;
inline constexpr std::uint32_t event_promotion = 3;
inline constexpr std::uint32_t event_collection = 4;
/// 101 to 116: one sample of a block of 1 to 16 words in the minor heap.
inline constexpr std::uint32_t event_short_allocation = 100;
inline constexpr std::uint64_t longest_short_allocation = 16;

inline constexpr unsigned event_time_bits = 25;
inline constexpr std::uint32_t event_time_mask = (std::uint32_t{1} << event_time_bits) - 1;

/// The longest time of a packet, so that 25 bits determine the time of an event.
inline constexpr std::uint64_t longest_packet_us = 30'000'000;

/// The cache of backtraces, kept alike by reader and writer.
inline constexpr unsigned bucket_bits = 14;
inline constexpr std::size_t bucket_count = std::size_t{1} << bucket_bits;
inline constexpr std::uint16_t no_verification = 0xFFFF;

inline constexpr unsigned tag_hit = 0;
inline constexpr unsigned tag_hit_and_one = 1;
inline constexpr unsigned tag_hit_and_many = 2;
inline constexpr unsigned tag_miss = 3;

/// Move-to-front tables of names; the index `new_name` is followed by the name itself.
inline constexpr unsigned name_table_size = 31;
inline constexpr unsigned new_name = 31;

/// Object ids are drawn in chunks of this many where a trace has domains.
inline constexpr std::uint64_t id_chunk = 10000;

/// Lengths, samples and differences of ids have 63 bits with a sign.
inline constexpr std::uint64_t largest_number = (std::uint64_t{1} << 62) - 1;

/// To the file's byte order and back.
template <typename Integer>
constexpr Integer little_endian(Integer value) noexcept {
  if constexpr (std::endian::native == std::endian::big) return std::byteswap(value);
  return value;
}

template <typename Integer>
Integer load(std::byte const* from) noexcept {
  Integer value;
  std::memcpy(&value, from, sizeof value);
  return little_endian(value);
}

}  // namespace memprof::encoding
