// SPDX-License-Identifier: MIT
/// \file
/// What a thread does when the way of its event is full.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "base/base.hpp"

namespace memprof::tracer {

/// Waits until `push` succeeds, as long as the reader makes progress; one that is stuck costs
/// `patience`, microseconds that all threads share. False: there is none left, or it is not
/// `wanted` any more.
///
/// \param push returns whether there was room.
/// \param popped returns how many events or slots the reader has taken.
/// \param wake the reader, before each try.
template <class Push, class Popped, class Wake, class Wanted>
bool wait_for_room(std::atomic<std::int64_t>& patience, Push push, Popped popped, Wake wake,
                   Wanted wanted) noexcept {
  constexpr std::int32_t pause_us = 100;
  /// A stall shorter than this is the scheduler's, and costs no patience.
  constexpr std::int64_t ordinary_stall_us = 50'000;
  const auto now_us = []() noexcept { return base::steady_nanoseconds() / 1000; };
  const int saved_errno = errno;
  std::uint64_t taken = popped();
  std::int64_t last_progress = now_us();
  std::int64_t charged = ordinary_stall_us;
  bool pushed = false;
  while (patience.load(std::memory_order_relaxed) > 0 && wanted()) {
    wake();
    base::sleep_uncancellable(pause_us);
    if ((pushed = push())) break;
    const std::int64_t now = now_us();
    if (const std::uint64_t seen = popped(); seen != taken) {
      taken = seen;
      last_progress = now;
      charged = ordinary_stall_us;
    } else if (now - last_progress > charged) {
      patience.fetch_sub(now - last_progress - charged, std::memory_order_relaxed);
      charged = now - last_progress;
    }
  }
  errno = saved_errno;
  return pushed;
}

}  // namespace memprof::tracer
