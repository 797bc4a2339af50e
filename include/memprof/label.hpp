// SPDX-License-Identifier: MIT
/// \file
/// Labels: for whom memory is allocated. Profiles of the running process show them
/// (`pprof -tags`, `-tagfocus=request=GET`).
///
///     memprof::label const l{"request", "GET"};
///     parse(untrusted);  // its sampled blocks have the label
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "memprof/detail/export.hpp"

namespace memprof::inline v0 {

namespace detail {
/// Returns the set with the label, this thread's from now on.
MEMPROF_API std::uint32_t enter_label(std::string_view key, std::string_view value) noexcept;
MEMPROF_API void leave_label(std::uint32_t set, std::uint32_t outer) noexcept;
}  // namespace detail

/// The number of this thread's current set of labels; 0 if there are none. Inside a label
/// `trace_id` it includes the id, and is valid only until that label ends.
[[nodiscard]] MEMPROF_API std::uint32_t current_label_set() noexcept;

/// While it lives, this thread's allocations carry this label and the labels around it. A label
/// hides an outer one with the same key.
///
/// Labels belong to the thread that made them, except in a task that hops from thread to thread:
/// a label made in a part of a `budget_handle` task (memprof/coroutine.hpp, `budget::executor`)
/// goes on in its next part, wherever that runs; that of a `memprof::task` is suspended while the
/// task is paused. If a budget runs several parts at a time, each part should make its own.
///
/// The key `trace_id` is for ids that differ in each request: the trace id of OpenTelemetry
/// or W3C's `traceparent`. It goes with a thread or task like the others, but is in no profile.
/// When a limit is hit inside it, `/metrics` names it, as exemplar of
/// `memprof_limit_hits_total` in OpenMetrics, and so does `traced_hits` (memprof/process.hpp).
///
///     memprof::label const id{"trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"};
///
///  - `key`, `value`: any text, of which 40 and 200 bytes are kept. Of a trace_id at most 120: a
///    longer one is left out, since half an id is useless.
/// \note Bounds: a process keeps 1023 different sets of labels for good, so use values of which
///   there are few (a route, a tenant), not ids. The exception is trace_id: 4095 may live at a
///   time. Labels beyond these bounds are left out and counted: `labels_left_out`.
/// \note Threads: ends on the thread where it began, or in a part of the same task. Labels end in
///   the reverse order of creation; one left by longjmp ends with the one around it.
/// \note Signals: may be made in handlers. Allocates nothing, takes no lock.
/// \note Cost: 16 ns, twice that for a trace_id. Nothing for each allocation; a load for a sample.
class [[nodiscard]] label {
 public:
  label(std::string_view key, std::string_view value) noexcept
      : outer_(current_label_set()), set_(detail::enter_label(key, value)) {}
  ~label() { detail::leave_label(set_, outer_); }
  label(label const&) = delete;
  label& operator=(label const&) = delete;

 private:
  std::uint32_t outer_;
  std::uint32_t set_;
};

/// The labels of a set, the innermost first; hidden ones are left out. A trace_id comes last, if
/// its label has not ended.
///
/// \param set from `current_label_set` or `allocation::labels`, or 0. The latter have no trace_id.
/// \throws std::bad_alloc without memory.
[[nodiscard]] MEMPROF_API std::vector<std::pair<std::string, std::string>> labels_of(
    std::uint32_t set);

/// How many labels found no room, since the start of the process.
[[nodiscard]] MEMPROF_API std::uint64_t labels_left_out() noexcept;

}  // namespace memprof::inline v0
