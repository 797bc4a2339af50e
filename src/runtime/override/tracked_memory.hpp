// SPDX-License-Identifier: MIT
/// \file
/// Memory for sampled blocks: packed in a range of their own (sampled_range.hpp), or between guard
/// pages there (guarded_blocks.hpp), or, where the range cannot be used, aligned blocks of the next
/// allocator (aligned_blocks.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"
#include "override/aligned_blocks.hpp"
#include "override/block_form.hpp"
#include "override/next_malloc.hpp"
#include "override/sampled_range.hpp"

namespace memprof::override {

/// The request for a block.
struct request {
  std::size_t size;
  std::size_t alignment = 1;  ///< a power of two
  bool zeroed = false;
  engine::source from = engine::source::malloc;
  block_form form = block_form::malloc;
  void const* frame = nullptr;  ///< as of engine::new_block
  bool shrinks = false;         ///< a smaller place for a block: never refused
};

/// A tracked block for the event, or null if there is no memory for it.
void* allocate_tracked(request const& r, engine::event const& e) noexcept;

/// A block in the range: packed, or guarded, which has no packed slot.
struct packed_block {
  base::packed_slots::found slot;
  std::uint32_t index = 0;  ///< of its record; 0: it is another copy's, or somebody else's
};

/// Index of a block that is in the range although it is not tracked (allocate_untracked).
inline constexpr std::uint32_t untracked = ~std::uint32_t{0};

/// Ends the process if the address is of this copy and no block in use: freed twice, or never
/// allocated.
///
/// \param caller the function that the program called, for the message.
packed_block find_packed(void const* block, char const* caller) noexcept;

/// The index of a block that is tracked, or untracked in the range; 0 for any other, null included.
inline std::uint32_t find_tracked(void const* block, char const* caller) noexcept {
  if (in_range(block)) {
    if (const std::uint32_t index = find_packed(block, caller).index) return index;
  }
  // In the range, too, where the next allocator is another copy and packed the block around it.
  return checks_alignment() ? find_aligned(block) : 0;
}

/// What the packed blocks of this copy take.
base::packed_slots::usage count_packed() noexcept;

/// Null if there is no memory, or no range.
void* allocate_untracked(std::size_t size) noexcept;

/// Bytes that the block has room for; `index` is the block's.
std::size_t capacity(void const* block, std::uint32_t index) noexcept;

/// What malloc_usable_size returns for a tracked block: as many bytes as if it were not tracked.
/// Programs that fill the whole block (redis grows its lists so) would allocate less often
/// if it were larger, and the samples would not describe the run without memprof.
std::size_t usable_size(void const* block, std::uint32_t index) noexcept;

/// Moves the contents of a tracked block to a new one, if both are large, by their pages.
///
/// \return moved: `from` is freed. refused: the caller copies. lost: `to` had no memory any more,
///   and is freed; the caller takes a block of the next allocator, and copies.
base::packed_slots::move_result move_pages(void* from, void* to) noexcept;

/// End tracking and free the memory.
void free_packed(void* block, packed_block const& found, release const& how) noexcept;
void free_aligned_tracked(void* block, std::uint32_t index) noexcept;

}  // namespace memprof::override
