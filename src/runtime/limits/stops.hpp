// SPDX-License-Identifier: MIT
/// \file
/// What stops a task although it has reached no amount: its token, its deadline, its predicate.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"

#include "limits/positions.hpp"

namespace memprof::inline v0::detail {

struct scope;

/// Of one scope, ns, steady clock. Changed in stops.cpp alone.
struct task_clock {
  std::int64_t start = 0;
  std::int64_t deadline = never;
  std::int64_t limit = never;  ///< from start to deadline; 0 if that was before
};

/// Sets the time at which the task begins, and its deadline.
void start_clock(scope& s) noexcept;
/// Sets the deadline again after the request has changed.
MEMPROF_INTERNAL_API void set_deadline(scope& s) noexcept;

bool token_is_set(scope const& s) noexcept;
/// Costs a clock reading if there is a deadline.
bool deadline_has_passed(scope const& s) noexcept;

/// Fills in the report of a scope that its token, its deadline or its predicate stops.
void report_token(scope& s) noexcept;
void report_deadline(scope& s) noexcept;
void report_predicate(scope& s) noexcept;

/// Whether one of the three stops the scope now; the report is filled in then.
///
/// \param may_call_out the program's predicate may be called here.
bool is_stopped(scope& s, bool may_call_out) noexcept;

}  // namespace memprof::inline v0::detail
