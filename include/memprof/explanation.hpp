// SPDX-License-Identifier: MIT
/// \file
/// Where an interrupted task's memory came from.
///
///     auto r = memprof::run_limited({.memory = 64_MiB, .explain = 5}, [&] { parse(untrusted); });
///     if (!r) {
///       log(r.error().message());  // "...; most of it: 41.2 MiB (+-5 %) by parse_array(...)+0x5e"
///       for (memprof::stack_amount const& s : r.error().live_stacks()) {
///         for (void* frame : s.callstack) log(memprof::describe(frame));
///       }
///     }
#pragma once

#include <vector>

#include "memprof/estimate.hpp"

namespace memprof::inline v0 {

/// The most stacks that an error can have of each kind.
inline constexpr unsigned most_explained_stacks = 16;

/// What a task had by one call stack.
///
///  - `callstack`: return addresses, innermost first, at most 64. Empty: all stacks together that
///    found no room in the task's table, which has 512 rows.
///  - `amount`: estimated, with an interval of confidence 0.95 for one stack alone. The largest of
///    5 (20) equal stacks of 25 samples looks too large: its interval misses in 11 % (37 %) of
///    cases, and the `+-` of the error's message, which is wider below, in 2 % (7 %).
struct stack_amount {
  std::vector<void*> callstack;
  estimate amount;
};

namespace detail {

struct explanation {
  std::vector<stack_amount> live;
  std::vector<stack_amount> allocated;
};

}  // namespace detail
}  // namespace memprof::inline v0
