// SPDX-License-Identifier: MIT
/// \file
/// Tracked blocks: the record of each sampled block from its allocation to its free.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memprof/detail/export.hpp"

#include "engine/account.hpp"
#include "engine/contribution.hpp"
#include "engine/observer_slot.hpp"
#include "engine/stack_sums.hpp"

namespace memprof::engine {

/// Where an allocation was seen.
enum class source : std::uint8_t { operator_new, malloc, resource, external };

/// A block of at most this many counted words begins as minor; a larger one is major at once.
inline constexpr std::int64_t largest_minor_words = 256;

/// State of a record: minor until its thread has allocated a nursery's worth, then major; a minor
/// block that was freed stays `dead` until its thread removes it from the nursery. While observers
/// are notified of its promotion it is `promoting`, or `outlived` if it is freed during that: then
/// the notifying thread ends its tracking.
enum class block_state : std::uint32_t { unused, minor, promoting, outlived, major, dead };

/// Record of a sampled block. Written before the block is handed out, then constant except for
/// `state`, the nursery's link and, during promotion, the tags. So any thread that may free the
/// block may read it.
struct tracked_block {
  std::atomic<block_state> state{block_state::unused};
  std::uint32_t next_in_nursery = 0;
  void* raw = nullptr;      ///< what the allocator returned, for an over-allocated block
  std::uint32_t slot = 0;   ///< the slot it lives in, or 0
  std::uint32_t stack = 0;  ///< by which accounts sum it, or 0
  std::size_t size = 0;     ///< bytes requested
  std::int64_t born = 0;    ///< position of its thread
  rounded_contribution counts;
  account* owner = nullptr;
  std::array<std::atomic<observer_tag>, observer_slots> tags{};
};

static_assert(sizeof(tracked_block) == 96);

/// A block to track.
struct new_block {
  void* address;
  void* raw;
  std::uint32_t slot;
  source from;
  std::size_t size;
  std::int64_t counted_words;
  std::uint64_t n_samples;
  /// Frame of the function by which the program entered memprof: frames up to it are memprof's own.
  void const* frame = nullptr;
};

/// Starts to track a block of this thread, charged to the thread's owner account and its
/// ancestors, and notifies the observers. Returns its index, for an index by address; 0 if
/// there was no memory for a record. Call it inside the event that drew its samples.
MEMPROF_INTERNAL_API std::uint32_t track(new_block const& block) noexcept;

/// The record of `index`, which the caller found by the address of a block that it owns.
MEMPROF_INTERNAL_API tracked_block& block_at(std::uint32_t index) noexcept;

/// Ends tracking: off the owner and the totals; notifies the observers. Frees the index.
///
/// \param address of the block, for the static probe.
MEMPROF_INTERNAL_API void untrack(std::uint32_t index, void const* address) noexcept;

/// For a thread that exits.
void give_back_spare_record() noexcept;

/// Counts a sampled block that the program gets but that is not tracked, for lack of memory.
MEMPROF_INTERNAL_API void drop_block() noexcept;

/// Counts a tracked block that is not packed with others.
MEMPROF_INTERNAL_API void count_aligned_block() noexcept;

}  // namespace memprof::engine
