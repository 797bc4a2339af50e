// SPDX-License-Identifier: MIT
/// \file
/// Handlers and timers for the situations.
#pragma once

#include <csignal>
#include <cstdint>
#include <sys/time.h>

namespace situations {

using handler = void (*)(int);

inline void on(int signal, handler function, int flags = 0) {
  struct sigaction action {};
  action.sa_handler = function;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

/// Raises SIGALRM after each `microseconds` of real time; never more with 0.
inline void tick(long microseconds) {
  itimerval timer{};
  timer.it_interval.tv_usec = timer.it_value.tv_usec = microseconds;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

inline volatile std::sig_atomic_t ticks = 0;

/// Computes, without allocating, until `ticks` is n.
inline void spin_until(int n) {
  std::uint32_t volatile x = 1;
  while (ticks < n) x = x * 1664525u + 1;
}

}  // namespace situations
