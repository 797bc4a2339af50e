// SPDX-License-Identifier: MIT
/// \file
/// How the writing thread sleeps, and is woken with as few system calls as possible.
#pragma once

#include <atomic>
#include <cstdint>

namespace memprof::tracer {

/// The writing thread naps while events gather; if there were none, it sleeps until a thread rings.
/// So a program pays one wake-up for a burst of events, or for each half of the queue, and none
/// while it is idle.
class doorbell {
 public:
  /// For the writing thread. Calls `idle()` after it has announced the nap, so that it does not
  /// sleep through an event that comes in between; false: no nap.
  ///
  /// milliseconds   0: until a thread rings.
  template <class Idle>
  void sleep(std::uint32_t milliseconds, Idle const& idle) noexcept {
    // seq_cst here and in `ring`: either we see the event, or its thread sees that we sleep.
    state_.store(milliseconds == 0 ? sleeping : napping, std::memory_order_seq_cst);
    if (idle()) wait(milliseconds);
    state_.store(awake, std::memory_order_relaxed);
  }

  /// After an event was pushed. Wakes the thread from its sleep, from a nap only if `urgent`.
  void ring(bool urgent) noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const std::uint32_t seen = state_.load(std::memory_order_relaxed);
    if (seen == sleeping || (urgent && seen == napping)) wake();
  }

 private:
  static constexpr std::uint32_t awake = 0;
  static constexpr std::uint32_t napping = 1;
  static constexpr std::uint32_t sleeping = 2;

  void wait(std::uint32_t milliseconds) noexcept;
  void wake() noexcept;

  std::atomic<std::uint32_t> state_{awake};
};

}  // namespace memprof::tracer
