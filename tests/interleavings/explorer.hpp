// SPDX-License-Identifier: MIT
/// \file
/// Runs a few threads in every order of their atomic operations, one operation at a time.
///
/// The threads are fibers. Before each atomic operation (checked_atomic.hpp) a fiber gives way, and
/// the explorer decides who goes on: all decisions are tried, by running the whole from its begin
/// again for each. Stores that are not sequentially consistent may stay in the buffer of their
/// thread for a while, as on x86-64; which of them reach memory when is decided, too.
///
/// What it does not show: reordering of other kinds (AArch64), and what happens between a write to
/// data that is not atomic and the next atomic operation, but for `between`. That is the thread
/// sanitizer's business.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace interleavings {

/// preemptions   how often a thread may be stopped although it could go on; beyond that it runs to
///               its end. Unbounded (the default) for two short threads; three threads of ten
///               operations have 5e12 orders, but what goes wrong needs two or three preemptions.
/// between       a thread gives way behind its stores, too: another may run between what becomes
///               visible and plain writes that follow, although they should have been before it.
/// buffered      stores that may wait in a thread's buffer at a time; 0: sequentially consistent.
struct bounds {
  int preemptions = 1'000'000;
  std::size_t buffered = 0;
  bool between = false;
};

/// Runs begin(), then all threads, then end(), in each order. Ends the process with status 1 and
/// the order of operations when `check` fails.
///
/// returns     the number of orders.
std::uint64_t explore(bounds const& b, std::function<void()> const& begin,
                      std::vector<std::function<void()>> const& threads,
                      std::function<void()> const& end);

/// For threads and `end`.
void check(bool holds, char const* what);

// For checked_atomic.

/// The calling thread is about to do this; gives way to the others.
void before_operation(char const* name, void const* object) noexcept;
/// The calling thread has done this.
void after_store(void const* object) noexcept;
/// A store of up to 8 bytes at `object`. True: it waits in the buffer; else the caller does it.
bool buffer_store(void* object, std::uint64_t value, std::size_t size) noexcept;
/// The latest store to `object` that waits in the calling thread's buffer; null if there is none.
std::uint64_t const* buffered_value(void const* object) noexcept;
/// The calling thread's stores reach memory.
void drain_buffer() noexcept;

}  // namespace interleavings
