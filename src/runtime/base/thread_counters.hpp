// SPDX-License-Identifier: MIT
/// \file
/// Sums that every thread adds to and few read. Each thread adds to sums of its own, which no
/// other writes, so it needs no locked instruction and shares no cache line.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/index_pool.hpp"

namespace memprof::base {

/// Adds to a sum that no other thread adds to. Other threads may read it; a signal handler on this
/// thread may add, too: on x86-64 it is one instruction, which no signal divides.
struct add_alone {
  void operator()(std::atomic<std::int64_t>& sum, std::int64_t n) const noexcept {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    // libc++'s atomics are no operands of asm.
    asm("addq %1, %0" : "+m"(reinterpret_cast<std::int64_t&>(sum)) : "er"(n) : "cc");
#else
    sum.fetch_add(n, std::memory_order_relaxed);
#endif
  }
};

/// Adds to a sum of many threads.
struct add_locked {
  void operator()(std::atomic<std::int64_t>& sum, std::int64_t n) const noexcept {
    sum.fetch_add(n, std::memory_order_relaxed);
  }
};

/// A T for each thread.
///
/// \tparam T sums (std::atomic<std::int64_t>) that begin as 0. They keep their values when their
///   thread ends, and the next thread that gets them adds to them.
/// \note Threads: all members, from any thread.
template <class T>
class thread_counters {
 public:
  /// Sums for the calling thread alone; null if there is no memory.
  T* open() noexcept {
    const std::uint32_t index = pool_.acquire();
    if (index == 0) return nullptr;
    pool_[index].index = index;
    return &pool_[index].sums;
  }
  /// Makes `mine` null, if it is not, and lets another thread have these sums.
  void close(T*& mine) noexcept {
    if (mine == nullptr) return;
    // `sums` comes first.
    const std::uint32_t index = reinterpret_cast<padded*>(mine)->index;
    mine = nullptr;
    pool_.release(index);
  }

  /// Calls each(T const&) for the sums of every thread so far.
  template <class Each>
  void each(Each&& each) noexcept {
    const std::uint32_t last = pool_.highest();
    for (std::uint32_t index = 1; index <= last; ++index) each(pool_[index].sums);
  }

 private:
  struct alignas(64) padded {
    T sums;
    // Not beside the thread's pointer: thread-local data is scarce (gap_audit.hpp).
    std::uint32_t index;
  };
  static_assert(std::is_standard_layout_v<padded>);
  index_pool<padded, 5> pool_;  // a page or two for 32 threads
};

}  // namespace memprof::base
