// SPDX-License-Identifier: MIT
/// \file
/// The account of a budget, charged by several threads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "memprof/limits.hpp"

#include "engine/engine.hpp"

namespace memprof::inline v0::detail {

/// No amount: that limit does not bind.
inline constexpr std::int64_t unlimited = -1;

/// The fractions of a limit up to which soft limits were called, by limit_kind.
using soft_progress = std::array<std::atomic<double>, 3>;

/// Any thread may change any member at any time; each is correct by itself.
struct shared_account {
  engine::account* live = nullptr;
  std::atomic<double> sampled_words{0.0};    ///< charged by samples
  std::atomic<std::int64_t> exact_words{0};  ///< counted by the runs, up to their latest events
  std::atomic<std::int64_t> allocations_limit{unlimited};
  std::atomic<std::int64_t> memory_limit{unlimited};
  /// 0, or 1 + the limit_kind that was hit: every run of the budget is interrupted.
  std::atomic<int> hit{0};
  std::atomic<std::int64_t> hit_limit{0};
  std::atomic<std::int64_t> hit_measured{0};
  std::atomic<int> runs{0};  ///< in progress
  soft_progress soft{};
  std::atomic<std::uint64_t> memory_looks{0};  ///< at its live memory, with a risk
};

}  // namespace memprof::inline v0::detail
