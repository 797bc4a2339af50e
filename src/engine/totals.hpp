// SPDX-License-Identifier: MIT
/// \file
/// Sums over the whole process.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/account.hpp"

namespace memprof::engine {

/// Unit of `contribution::variance`, in bytes^2.
inline constexpr double variance_unit = 1024.0;

struct process_totals {
  live_sum minor;
  live_sum major;
  std::atomic<std::uint64_t> sampled_blocks{0};
  std::atomic<std::uint64_t> samples{0};
  std::atomic<std::uint64_t> promotions{0};
  std::atomic<std::uint64_t> dropped_blocks{0};
};

extern process_totals total;

}  // namespace memprof::engine
