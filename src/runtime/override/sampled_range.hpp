// SPDX-License-Identifier: MIT
/// \file
/// Where sampled blocks lie: a range of addresses by whose upper bits `free` recognises them,
/// without touching memory.
///
/// It is chosen so that nobody else's mappings come there by themselves (hexadecimal, the upper 16
/// of 48 bits):
///
///                                                        x86-64          AArch64
///     program and its heap, randomised by up to 33 bits  5555 to 6556    aaaa to cab0
///     this range                                         6800 to 6bff    d000 to d3ff
///     libraries, mappings and stacks, from the top       6fff to 7fff    dfff to ffff
///
/// Nor are there mimalloc's hints (0200 to 1dff), the sanitizers' heaps and shadows, or the Java
/// heap. If something is there all the same it stays, and is only freed a little more slowly.
/// AArch64's kernels with 39 or 42 bits of addresses do not have it: then sampled blocks are
/// aligned (aligned_blocks.hpp).
#pragma once

#include <cstdint>

#include "base/base.hpp"

namespace memprof::override {

#if defined(__aarch64__)
inline constexpr std::uintptr_t range_number = 0x34;
#else
inline constexpr std::uintptr_t range_number = 0x1a;
#endif
inline constexpr std::uintptr_t range_begin = range_number << base::packed_slots::range_bits;

/// True for every packed block, and hardly ever for another. False for null.
inline bool in_range(void const* block) noexcept {
  return reinterpret_cast<std::uintptr_t>(block) >> base::packed_slots::range_bits == range_number;
}

}  // namespace memprof::override
