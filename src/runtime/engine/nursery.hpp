// SPDX-License-Identifier: MIT
/// \file
/// The nursery: a thread's young tracked blocks, in the order in which they were allocated.
///
/// A queue through the records. Only its thread changes the links. A free on any thread only marks
/// the record dead; the queue's thread removes it when it reaches it. So the queue holds at most
/// the samples of one nursery's worth of allocation, plus those of the latest blocks.
#pragma once

#include <atomic>
#include <cstdint>

namespace memprof::engine {

/// Words that a thread allocates before a minor block is promoted. Default 256 kw.
extern std::atomic<std::int64_t> nursery_words;

struct nursery_queue {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// Appends a record to this thread's nursery.
void enter_nursery(std::uint32_t index) noexcept;

/// Promotes this thread's blocks that are old enough at the thread's position, and recycles dead
/// ones in front of the queue.
void age_nursery() noexcept;

/// Promotes all that are left, when the thread exits.
void empty_nursery() noexcept;

/// Only for the nursery; defined in tracked_block.cpp. Makes a live minor record major
/// (true), or recycles a dead one (false).
bool promote_or_recycle(std::uint32_t index) noexcept;

}  // namespace memprof::engine
