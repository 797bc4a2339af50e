// SPDX-License-Identifier: MIT
/// \file
/// Memory that requests beyond their soft budget share: who finds none waits.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include <memprof/units.hpp>

namespace example::server {

/// threads     all members may be called at the same time.
class memory_reserve {
 public:
  explicit memory_reserve(memprof::bytes all) : free_(all) {}

  /// Takes `amount`, waiting until it is there or `give_up()` is true, which is asked now and then.
  template <class Predicate>
  bool take(memprof::bytes amount, Predicate&& give_up) {
    std::unique_lock lock(mutex_);
    while (free_ < amount) {
      if (give_up()) return false;
      given_.wait_for(lock, std::chrono::milliseconds(20));
    }
    free_ -= amount;
    return true;
  }

  void give(memprof::bytes amount) {
    {
      std::lock_guard const lock(mutex_);
      free_ += amount;
    }
    given_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_;
  memprof::bytes free_;
};

}  // namespace example::server
