// SPDX-License-Identifier: MIT
/// \file
/// Soft limits: which callbacks are due, and calling them.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"

#include "engine/engine.hpp"
#include "limits/scope.hpp"

namespace memprof::inline v0::detail {

/// The first amount at which something happens on the way to `limit`: that of the next soft limit
/// not called yet, or `limit`.
std::int64_t next_soft_amount(scope& s, limit_kind kind, std::int64_t limit) noexcept;

/// Calls the soft limits of `s` that were reached and not called yet. `amount`, which includes the
/// pending request, reaches them, or its upper bound if there is a false-interrupt probability.
///
/// \return the limit in force afterwards: `limit`, or what a callback raised it to.
std::int64_t call_soft_limits(scope& s, limit_kind kind, std::int64_t limit,
                              engine::sampled_amount const& amount) noexcept;

/// The monitor of a paused task has changed its limit: they are armed again above what is used of
/// the new one.
MEMPROF_INTERNAL_API void rearm_soft_limits(scope& s, limit_kind kind, std::int64_t old_limit,
                                            std::int64_t new_limit) noexcept;

/// Callbacks that threw, process-wide.
std::uint64_t callback_failures() noexcept;

/// A callback of the program threw.
void count_callback_failure() noexcept;

}  // namespace memprof::inline v0::detail
