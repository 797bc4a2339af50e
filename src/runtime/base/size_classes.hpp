// SPDX-License-Identifier: MIT
/// \file
/// The size classes of packed slots.
///
///     class      0  1  2 ...   7 |   8   9  10  11 |  12 ...    79 |     80      81 ...
///     bytes     16 32 48 ... 128 | 160 192 224 256 | 320 ... 32 Mi | a run of 1, 2, 4 ... areas
///
/// Up to 128 bytes in steps of 16, then four to a doubling, so a slot is at most a quarter larger
/// than what was asked for (by 16 bytes at the bottom). A block of 100 bytes has class 6 (112), one
/// of 5000 bytes class 28 (5120).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace memprof::base::size_classes {

inline constexpr unsigned fine_classes = 8;   ///< up to 128 bytes
inline constexpr unsigned slot_classes = 80;  ///< up to 32 MiB
inline constexpr unsigned run_classes = 15;   ///< 64 MiB to 1 TiB
inline constexpr unsigned count = slot_classes + run_classes;
inline constexpr std::size_t area_size = std::size_t{64} << 20;

/// Bytes of a slot of class `c` < slot_classes; for a run, its address space.
constexpr std::size_t size_of(unsigned c) noexcept {
  if (c < fine_classes) return std::size_t{16} * (c + 1);
  if (c >= slot_classes) return area_size << (c - slot_classes);
  const unsigned doubling = (c - fine_classes) / 4;
  return (std::size_t{32} << doubling) * (5 + (c - fine_classes) % 4);
}

/// The least class with at least `size` bytes; `count` if there is none.
constexpr unsigned class_of(std::size_t size) noexcept {
  if (size <= 128) return size == 0 ? 0 : static_cast<unsigned>((size - 1) / 16);
  if (size > size_of(count - 1)) return count;
  const auto doubling = static_cast<unsigned>(std::bit_width(size - 1)) - 8;
  const auto quarter =
      static_cast<unsigned>((size - 1 - (std::size_t{128} << doubling)) >> (doubling + 5));
  const unsigned c = fine_classes + 4 * doubling + quarter;
  return c < slot_classes
             ? c
             : slot_classes + static_cast<unsigned>(std::bit_width((size - 1) / area_size));
}

/// The least class whose slots have that alignment, too (a power of two); `count` if there is none.
constexpr unsigned class_of(std::size_t size, std::size_t alignment) noexcept {
  unsigned c = class_of(size);
  while (c < count && (size_of(c) & (alignment - 1)) != 0) ++c;
  return c;
}

}  // namespace memprof::base::size_classes
