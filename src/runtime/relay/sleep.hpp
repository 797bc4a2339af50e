// SPDX-License-Identifier: MIT
/// \file
/// How who takes the records sleeps between two looks, and is woken from that.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.hpp"
#include "relay/area.hpp"

namespace memprof::relay {

namespace detail {

inline void sleep_in(control& shared, sleep_state how, timespec const* duration) noexcept {
  syscall(SYS_futex, &shared.sleeping, FUTEX_WAIT, static_cast<std::uint32_t>(how), duration,
          nullptr, 0);
}

}  // namespace detail

/// Sleeps, at most `duration`, unless `needed()` says after the sleep was announced that there is
/// something to do.
template <class Needed>
void sleep_unless(control& shared, timespec const& duration, Needed const& needed) noexcept {
  shared.sleeping.store(sleep_state::nap, std::memory_order_seq_cst);
  if (!needed()) detail::sleep_in(shared, sleep_state::nap, &duration);
  shared.sleeping.store(sleep_state::awake, std::memory_order_relaxed);
}

/// The same without an end. `open_process_barrier` was called. Only in the process that pushes: its
/// barrier does not reach into others.
template <class Needed>
void sleep_until_record(control& shared, Needed const& needed) noexcept {
  shared.sleeping.store(sleep_state::idle, std::memory_order_seq_cst);
  // Either `needed` sees a record, or who has pushed it sees that we sleep.
  base::heavy_barrier();
  if (!needed()) detail::sleep_in(shared, sleep_state::idle, nullptr);
  shared.sleeping.store(sleep_state::awake, std::memory_order_relaxed);
}

/// Wakes who takes the records, if it sleeps. From a nap a wake-up may be missed, so that must be
/// short.
inline void wake(control& shared) noexcept {
  if (shared.sleeping.load(std::memory_order_relaxed) == sleep_state::awake ||
      shared.sleeping.exchange(sleep_state::awake, std::memory_order_relaxed) ==
          sleep_state::awake) {
    return;
  }
  const int saved_errno = errno;
  syscall(SYS_futex, &shared.sleeping, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  errno = saved_errno;
}

/// After each record that was pushed. cost: a load, mostly.
inline void wake_idle(control& shared) noexcept {
  base::light_barrier();
  if (shared.sleeping.load(std::memory_order_relaxed) == sleep_state::idle) [[unlikely]] {
    wake(shared);
  }
}

}  // namespace memprof::relay
