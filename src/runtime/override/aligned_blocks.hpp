// SPDX-License-Identifier: MIT
/// \file
/// Sampled blocks where their range cannot be used: each begins a page, so that one test of the
/// address shows that nearly all other blocks are none.
///
/// Small blocks (up to a page) live in slots, pages that are recycled for samples only. Larger ones
/// come from the next allocator, over-allocated by a page and aligned inside. The test is not in
/// the fast paths, but in functions that take the place of the next allocator's
/// (`check_alignment`).
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"
#include "override/next_malloc.hpp"

namespace memprof::override {

inline constexpr std::size_t aligned_block_alignment = 4096;

/// True for null, every aligned tracked block, and about one ordinary block in 256.
inline bool begins_page(void const* block) noexcept {
  return (reinterpret_cast<std::uintptr_t>(block) & (aligned_block_alignment - 1)) == 0;
}

struct aligned_block {
  char* address = nullptr;
  void* raw = nullptr;     ///< of the next allocator, or
  std::uint32_t slot = 0;  ///< the slot
};

aligned_block acquire_aligned(std::size_t size, std::size_t alignment, bool zeroed) noexcept;
void release_aligned(std::uint32_t slot, void* raw) noexcept;
std::size_t aligned_capacity(void const* address, void* raw) noexcept;

/// The record of the tracked block that begins a page; 0 for any other block.
inline std::uint32_t find_aligned(void const* block) noexcept {
  return begins_page(block) ? engine::find_page(block) : 0;
}

}  // namespace memprof::override
