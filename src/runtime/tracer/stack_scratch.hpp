// SPDX-License-Identifier: MIT
/// \file
/// Memory for a long call stack that is being taken, off the stack: a fiber's may be 16 KiB.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/base.hpp"
#include "callstack/callstack.hpp"

namespace memprof::tracer {

/// Room for the largest stack, for as many threads at once as there are places.
///
/// threads     any, lock-free, signal-safe.
class stack_scratch {
 public:
  static constexpr std::size_t places = 64;

  /// A place that was free; `places` if there is none or no memory.
  std::size_t borrow() noexcept {
    std::uint64_t taken = taken_.load(std::memory_order_relaxed);
    while (~taken != 0) {
      const auto free_one = static_cast<std::size_t>(__builtin_ctzll(~taken));
      if (!taken_.compare_exchange_weak(taken, taken | std::uint64_t{1} << free_one,
                                        std::memory_order_acquire)) {
        continue;
      }
      if (memory_[free_one] == nullptr) {
        memory_[free_one] = static_cast<std::uintptr_t*>(
            base::map_pages(callstack::largest_stack * sizeof(std::uintptr_t)));
      }
      if (memory_[free_one] != nullptr) return free_one;
      give_back(free_one);
      break;
    }
    return places;
  }

  void give_back(std::size_t place) noexcept {
    taken_.fetch_and(~(std::uint64_t{1} << place), std::memory_order_release);
  }

  [[nodiscard]] std::span<std::uintptr_t> at(std::size_t place) const noexcept {
    return {memory_[place], callstack::largest_stack};
  }

  /// In a forked child: the threads that had borrowed are not there.
  void forget() noexcept { taken_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> taken_{0};
  std::array<std::uintptr_t*, places> memory_{};  ///< of who has the place
};

}  // namespace memprof::tracer
