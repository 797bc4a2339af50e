// SPDX-License-Identifier: MIT
#include "engine/nursery.hpp"

#include <limits>

#include "engine/thread_state.hpp"
#include "engine/tracked_block.hpp"

namespace memprof::engine {

constinit std::atomic<std::int64_t> nursery_words{256'000};

namespace {

/// Removes blocks from the front while they are dead or were born before `oldest_minor`.
void drain(std::int64_t oldest_minor) noexcept {
  nursery_queue& queue = current.nursery;
  while (queue.first != 0) {
    tracked_block& record = block_at(queue.first);
    const bool dead = record.state.load(std::memory_order_relaxed) == block_state::dead;
    if (!dead && record.born >= oldest_minor) return;
    const std::uint32_t index = queue.first;
    queue.first = record.next_in_nursery;
    if (queue.first == 0) queue.last = 0;
    promote_or_recycle(index);
  }
}

}  // namespace

void enter_nursery(std::uint32_t index) noexcept {
  nursery_queue& queue = current.nursery;
  block_at(index).next_in_nursery = 0;
  if (queue.first == 0) {
    queue.first = index;
  } else {
    block_at(queue.last).next_in_nursery = index;
  }
  queue.last = index;
}

void age_nursery() noexcept {
  if (current.nursery.first == 0 || current.notifying) return;
  drain(current.position - nursery_words.load(std::memory_order_relaxed));
}

void empty_nursery() noexcept { drain(std::numeric_limits<std::int64_t>::max()); }

}  // namespace memprof::engine
