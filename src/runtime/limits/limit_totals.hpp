// SPDX-License-Identifier: MIT
/// \file
/// Counts of hits, interrupts, deferrals and interrupted tasks, over the whole process. All are
/// rare: many threads add to the same ones. (Scopes that are entered are not rare:
/// scopes_entered.)
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memprof/interrupted.hpp"

#include "engine/engine.hpp"
#include "limits/traced_hits.hpp"

namespace memprof::inline v0::detail {

struct process_limit_totals {
  std::atomic<std::uint64_t> deferrals{0};
  /// ns that pre-flights have taken.
  std::atomic<std::int64_t> preflight_time{0};
  std::atomic<std::int64_t> tokens{0};  ///< that exist
  /// By limit_kind.
  std::array<std::atomic<std::uint64_t>, all_limit_kinds.size()> hits{};
  std::array<std::atomic<std::uint64_t>, all_limit_kinds.size()> interrupts{};
  std::array<std::atomic<std::uint64_t>, all_limit_kinds.size()> interrupted_tasks{};
};

inline constinit process_limit_totals limit_totals;

inline void count_hit(limit_kind kind) noexcept {
  limit_totals.hits[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
  if (engine::trace_part(engine::current_labels) != 0) [[unlikely]]
    note_traced_hit(kind);
}

/// Counts a deferral, also by its reason, a literal. Lock-free.
void count_deferral(char const* reason) noexcept;

}  // namespace memprof::inline v0::detail
