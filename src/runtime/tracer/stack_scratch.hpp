// SPDX-License-Identifier: MIT
/// \file
/// Buffers for long call stacks, because the stack of a fiber may have only 16 KiB.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/base.hpp"
#include "callstack/callstack.hpp"

namespace memprof::tracer {

/// Buffers of the largest size, one for each thread that needs one at the same time.
///
/// \note Threads: any, lock-free, signal-safe.
class stack_scratch {
 public:
  static constexpr std::size_t buffers = 64;

  /// A buffer that was free; `buffers` if there is none or no memory.
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
    return buffers;
  }

  void give_back(std::size_t buffer) noexcept {
    taken_.fetch_and(~(std::uint64_t{1} << buffer), std::memory_order_release);
  }

  [[nodiscard]] std::span<std::uintptr_t> at(std::size_t buffer) const noexcept {
    return {memory_[buffer], callstack::largest_stack};
  }

  /// For a forked child, in which the borrowing threads do not exist.
  void forget() noexcept { taken_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> taken_{0};
  std::array<std::uintptr_t*, buffers> memory_{};  ///< each used by its borrower
};

}  // namespace memprof::tracer
