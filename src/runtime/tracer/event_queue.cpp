// SPDX-License-Identifier: MIT
#include "tracer/event_queue.hpp"

#include "base/base.hpp"

namespace memprof::tracer {

bool event_queue::renew() noexcept {
  // Not constructed: zeroed pages equal what its constructor would make, and stay uncommitted.
  auto* const fresh = static_cast<ring*>(base::map_pages(sizeof(ring)));
  if (fresh == nullptr) return false;
  ring_.store(fresh, std::memory_order_release);
  return true;
}

bool event_queue::push(queued_event const& event) noexcept {
  ring* const r = ring_.load(std::memory_order_acquire);
  if (r == nullptr) return false;
  std::uint64_t position = r->tail.load(std::memory_order_relaxed);
  for (;;) {
    entry& c = r->entries[position % capacity];
    const std::uint64_t empty = position / capacity * 2;
    // Acquire: the consumer has read the entry before.
    const std::uint64_t stage = c.stage.load(std::memory_order_acquire);
    if (stage == empty) {
      if (r->tail.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
        c.event = event;
        c.stage.store(empty + 1, std::memory_order_release);
        return true;
      }
    } else if (stage < empty) {
      return false;  // still full of the lap before
    } else {
      position = r->tail.load(std::memory_order_relaxed);
    }
  }
}

bool event_queue::pop(queued_event& event) noexcept {
  ring* const r = ring_.load(std::memory_order_acquire);
  if (r == nullptr) return false;
  const std::uint64_t position = r->head.load(std::memory_order_relaxed);
  entry& c = r->entries[position % capacity];
  const std::uint64_t full = position / capacity * 2 + 1;
  if (c.stage.load(std::memory_order_acquire) != full) return false;
  event = c.event;
  c.stage.store(full + 1, std::memory_order_release);
  r->head.store(position + 1, std::memory_order_release);
  return true;
}

std::uint64_t event_queue::pushed() const noexcept {
  ring const* const r = ring_.load(std::memory_order_acquire);
  return r == nullptr ? 0 : r->tail.load(std::memory_order_acquire);
}

std::uint64_t event_queue::popped() const noexcept {
  ring const* const r = ring_.load(std::memory_order_acquire);
  return r == nullptr ? 0 : r->head.load(std::memory_order_acquire);
}

}  // namespace memprof::tracer
