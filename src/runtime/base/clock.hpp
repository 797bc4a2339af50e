// SPDX-License-Identifier: MIT
/// \file
/// The clock of deadlines, and of what processes leave for each other.
#pragma once

#include <cstdint>
#include <ctime>

namespace memprof::base {

/// Nanoseconds on the steady clock, which is the same in all processes (but those of another time
/// namespace). About 25 ns, no system call. Signal-safe.
inline std::int64_t steady_nanoseconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace memprof::base
