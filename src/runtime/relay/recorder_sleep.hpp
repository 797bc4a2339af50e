// SPDX-License-Identifier: MIT
/// \file
/// How the recorder sleeps between two looks, and is woken from that.
#pragma once

#include <atomic>
#include <cerrno>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "relay/area.hpp"

namespace memprof::relay {

/// For the recorder: sleeps, at most `duration`, unless `needed()` says after the sleep was
/// announced that there is something to do.
template <class Needed>
void sleep_unless(control& shared, timespec const& duration, Needed const& needed) noexcept {
  shared.sleeping.store(1, std::memory_order_seq_cst);
  if (!needed()) syscall(SYS_futex, &shared.sleeping, FUTEX_WAIT, 1, &duration, nullptr, 0);
  shared.sleeping.store(0, std::memory_order_relaxed);
}

/// Wakes the recorder, if it sleeps. A wake-up may be missed, so a sleep must be short.
inline void wake(control& shared) noexcept {
  if (shared.sleeping.load(std::memory_order_relaxed) == 0 ||
      shared.sleeping.exchange(0, std::memory_order_relaxed) == 0) {
    return;
  }
  const int saved_errno = errno;
  syscall(SYS_futex, &shared.sleeping, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  errno = saved_errno;
}

}  // namespace memprof::relay
