// SPDX-License-Identifier: MIT
/// \file
/// Counts of interrupts, deferrals and interrupted tasks, over the whole process.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "memprof/interrupted.hpp"

namespace memprof::inline v0::detail {

struct process_limit_totals {
  std::atomic<std::uint64_t> deferrals{0};
  /// By limit_kind.
  std::array<std::atomic<std::uint64_t>, all_limit_kinds.size()> interrupts{};
  std::array<std::atomic<std::uint64_t>, all_limit_kinds.size()> interrupted_tasks{};
};

inline constinit process_limit_totals limit_totals;

}  // namespace memprof::inline v0::detail
