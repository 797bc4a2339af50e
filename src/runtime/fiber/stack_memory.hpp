// SPDX-License-Identifier: MIT
/// \file
/// Stacks for tasks: mapped, with an optional guard below, and reused.
#pragma once

#include <cstddef>

namespace memprof::fiber {

/// Below a guarded stack lie this many inaccessible bytes. More than a page, so that a
/// frame with a few kilobytes of locals does not step over it. Rounded up where pages are larger.
inline constexpr std::size_t guard_size = std::size_t{16} << 10;

/// A stack: [low, low + size), and below it `guard` bytes of guard (0: none).
struct stack {
  char* low = nullptr;
  std::size_t size = 0;
  std::size_t guard = 0;

  [[nodiscard]] char* top() const noexcept { return low + size; }
};

/// \param size bytes, rounded up to whole pages.
/// \param pooled may return a stack that was used before, whose memory is already committed.
/// \return low is null if the kernel has no memory.
/// \note Threads: any; lock-free, so that a forked child may continue.
/// \note Cost: pooled about 30 ns; else two system calls, three with a guard.
stack obtain_stack(std::size_t size, bool guarded, bool pooled) noexcept;

/// Returns it to the pool, if `pooled` and there is room, or to the kernel.
void release_stack(stack const& s, bool pooled) noexcept;

}  // namespace memprof::fiber
