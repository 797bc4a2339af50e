// SPDX-License-Identifier: MIT
/// \file
/// The way of events from the program's threads to the writing thread: a bounded queue.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memprof/interrupted.hpp"
#include "memprof/trace/event.hpp"

#include "callstack/callstack.hpp"

namespace memprof::tracer {

/// Interrupts, the names of threads, and that the process began to end, go the same way as events.
enum class queued_kind : std::uint8_t {
  allocation,
  promotion,
  collection,
  interrupt,
  thread,
  exit_began
};

/// What is known of an event on the thread where it happened.
///
/// time        microseconds since 1970.
/// tag         of the block's `traced_block`.
/// session     the trace that it is for. A later one may find it in the queue.
/// length, n_samples, stack, source, thread   of an allocation; the thread's number.
/// length, n_samples, tag, stack, limit, thread   of an interrupt: allowed, measured, deferrals;
///             the kernel's id of the thread.
/// length, n_samples, tag, thread   of a thread: its name, 16 bytes; the kernel's id; its number.
struct queued_event {
  std::uint64_t time = 0;
  std::uint64_t length = 0;
  std::uint64_t n_samples = 0;
  std::uint32_t tag = 0;
  std::uint32_t session = 0;
  callstack::stack_id stack = 0;
  std::uint32_t thread = 0;
  queued_kind kind = queued_kind::allocation;
  trace::heap source = trace::heap::minor;
  limit_kind limit{};
};

/// A ring of trace events: any thread pushes, one pops; Vyukov's bounded queue. A producer
/// claims a position by compare-exchange, writes, marks the entry as full; the consumer frees it
/// for the next lap.
///
///     position p is in entry p % capacity, in lap p / capacity
///     entry.stage  2 * lap: empty for this lap   2 * lap + 1: full
///
/// Zeroed pages are an empty ring. A thread that is preempted between claim and mark holds up the
/// consumer, but no other thread.
///
/// threads     push: any, lock-free, signal-safe. pop: one.
class event_queue {
 public:
  static constexpr std::uint32_t capacity = std::uint32_t{1} << 16;

  /// Makes it empty and ready: new memory, so that a push that a fork cut in two does no harm.
  /// False without memory.
  bool renew() noexcept;

  [[nodiscard]] bool ready() const noexcept {
    return ring_.load(std::memory_order_relaxed) != nullptr;
  }

  /// False if it is full.
  bool push(queued_event const& event) noexcept;
  /// False if it is empty, or if the next event is still being written.
  bool pop(queued_event& event) noexcept;

  /// Events that were pushed (or are just being pushed) and popped since `renew`.
  [[nodiscard]] std::uint64_t pushed() const noexcept;
  [[nodiscard]] std::uint64_t popped() const noexcept;

 private:
  struct entry {
    std::atomic<std::uint64_t> stage{0};
    queued_event event;
  };
  struct ring {
    alignas(64) std::atomic<std::uint64_t> tail{0};  ///< next position to claim
    alignas(64) std::atomic<std::uint64_t> head{0};  ///< next position to pop
    alignas(64) std::array<entry, capacity> entries;
  };
  std::atomic<ring*> ring_{nullptr};
};

}  // namespace memprof::tracer
