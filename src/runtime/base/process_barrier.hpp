// SPDX-License-Identifier: MIT
/// \file
/// A memory barrier of which one side is nearly free: for a handshake that many threads make often,
/// and one seldom.
///
///     often                              seldom
///     mine.store(1, release)             closed.store(1)
///     light_barrier()                    heavy_barrier()
///     if (closed.load()) ...             if (mine.load()) ...
///
/// One of the two sees the other. The heavy one has the kernel interrupt the threads of the process
/// that run (membarrier), so that the light one need only stop the compiler. Where the kernel does
/// not offer that, light ones are full barriers.
#pragma once

#include <atomic>

namespace memprof::base {

/// Before the first handshake, by the side that is seldom. Cost: two system calls, the first time.
void open_process_barrier() noexcept;

namespace detail {
/// Set by `open_process_barrier`, before anybody needs it.
extern constinit std::atomic<bool> heavy_works;
}  // namespace detail

/// \note Threads: any, signal-safe. Cost: a load.
inline void light_barrier() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!detail::heavy_works.load(std::memory_order_relaxed)) [[unlikely]] {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

/// \note Threads: any. Cost: some microseconds.
void heavy_barrier() noexcept;

}  // namespace memprof::base
