// SPDX-License-Identifier: MIT
/// \file
/// Memory for sampled blocks. Always page-aligned, so that `free` needs no table to see that a
/// block is not one of them (fast-paths: one test of the address, no memory touched).
///
/// Small blocks (up to a page) live in slots, pages that are recycled for samples only. Larger ones
/// come from the real allocator, over-allocated by a page and aligned inside.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"

namespace memprof::override {

inline constexpr std::size_t tag_alignment = 4096;

/// True for null, every tracked block, and about one ordinary block in 256.
inline bool has_tag(void const* block) noexcept {
  return (reinterpret_cast<std::uintptr_t>(block) & (tag_alignment - 1)) == 0;
}

/// The request for a block.
struct request {
  std::size_t size;
  std::size_t alignment = 1;  ///< a power of two
  bool zeroed = false;
  engine::source from = engine::source::malloc;
  void const* frame = nullptr;  ///< as of engine::new_block
  bool shrinks = false;         ///< a smaller place for a block: never refused
};

/// A tracked block for the event, or null if there is no memory for it.
void* allocate_tracked(request const& r, engine::event const& e) noexcept;

/// The record of a tracked block, 0 for any other. `block` has the tag and belongs to the caller.
inline std::uint32_t find_tracked(void const* block) noexcept { return engine::find_page(block); }

/// Bytes that a tracked block has room for.
std::size_t capacity(std::uint32_t index) noexcept;

/// What malloc_usable_size returns for a tracked block: as many bytes as if it were not tracked.
/// Programs that fill the whole block (redis grows its lists so) would allocate less often
/// if it were a whole page, and the samples would not describe the run without memprof.
std::size_t usable_size(std::uint32_t index) noexcept;

/// Ends tracking and frees the memory.
void free_tracked(std::uint32_t index) noexcept;

}  // namespace memprof::override
