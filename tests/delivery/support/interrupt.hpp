// SPDX-License-Identifier: MIT
/// \file
/// What situations and workloads use: the interrupted allocation, boundaries, and what is looked at
/// afterwards.
#pragma once

#include <cstddef>

namespace memprof::test {

/// Asks operator new for a block and gives it back. Out of line: no compiler elides it.
void allocate(std::size_t size = 32);

/// The `n`th allocation from here (1: the next), on any thread, is the interrupted one.
void interrupt_next(unsigned n = 1) noexcept;

/// The interrupted allocation.
void interruption();

/// Something whose destructor must run. One that is left over when the task has ended is damage.
class witness {
 public:
  witness() noexcept { ++alive(); }
  witness(witness const&) noexcept { ++alive(); }
  witness& operator=(witness const&) = default;
  ~witness() { --alive(); }
  static int& alive() noexcept;
};

/// The task has done damage unless `ok()` when the boundary has been reached, or the body ended.
void check_afterwards(bool (*ok)()) noexcept;

/// What was allocated and not freed is no damage: threads that end later, caches.
void may_leave_blocks() noexcept;

/// Runs the task under a boundary of its own; true if the interrupt ended there.
bool in_boundary(void (*task)(void*), void* context);

template <class F>
bool in_boundary(F f) {
  return in_boundary([](void* context) { (*static_cast<F*>(context))(); }, &f);
}

/// Bytes in use according to malloc, and what is in tcache counts as used: a difference of a few
/// hundred bytes means nothing.
std::size_t malloc_in_use() noexcept;

}  // namespace memprof::test
