// SPDX-License-Identifier: MIT
/// \file
/// A lock for a few stores at a time, which a forked child can reset.
#pragma once

#include <atomic>
#include <sched.h>

namespace memprof::base {

/// Guards a handful of instructions that neither allocate nor call out. What it guards must be
/// whole after each single store, so that `reset` in a forked child is sound.
class spin_lock {
 public:
  void lock() noexcept {
    while (taken_.exchange(true, std::memory_order_acquire)) {
      for (int spin = 0; taken_.load(std::memory_order_relaxed); ++spin) {
        if (spin > 100) sched_yield();
      }
    }
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

  /// For a forked child, in which the thread that held it does not exist.
  void reset() noexcept { taken_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace memprof::base
