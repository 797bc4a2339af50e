// SPDX-License-Identifier: MIT
/// \file
/// The clock of deadlines.
#pragma once

#include <chrono>
#include <cstdint>

namespace memprof::inline v0::detail {

/// Nanoseconds on the steady clock. About 25 ns, no system call. Signal-safe.
inline std::int64_t steady_nanoseconds() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace memprof::inline v0::detail
