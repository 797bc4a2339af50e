// SPDX-License-Identifier: MIT
/// \file
/// How the call stacks of samples are taken.
#pragma once

#include <cstddef>

#include "memprof/detail/export.hpp"

namespace memprof::inline v0 {

/// How the call stacks of samples are taken.
enum class callstack_method {
  /// Frame pointers in code where they were found to be right, else the tables.
  automatic,
  /// The chain of saved frame pointers, checked against the bounds of the stack and, frame by
  /// frame, against the unwind tables the first time: 2 to 5 ns a frame.
  frame_pointers,
  /// The unwind tables, their rules kept for each return address: 8 to 15 ns a frame, 3 where the
  /// stack is as it was at the thread's last sample.
  unwind_tables
};

/// Which method takes the stacks of samples from now on. Default: MEMPROF_CALLSTACK ("auto", "fp",
/// "tables"), or automatic. `frame_pointers` trusts that all code keeps them: stacks end, or miss
/// callers, at code that does not, but nothing crashes.
///
/// threads     any.
MEMPROF_API void set_callstack_method(callstack_method method) noexcept;
[[nodiscard]] MEMPROF_API callstack_method get_callstack_method() noexcept;

/// What the method came to for the frames of stacks taken so far.
struct callstack_counts {
  unsigned long long stacks = 0;
  unsigned long long frames_by_frame_pointer = 0;
  unsigned long long frames_by_tables = 0;
  unsigned long long incomplete = 0;  ///< stacks that ended before the thread's outermost frame
};
[[nodiscard]] MEMPROF_API callstack_counts callstacks_taken() noexcept;

/// Frames kept of a stack, the innermost, where its user does not say otherwise (`start`,
/// `tracing_options`): MEMPROF_CALLSTACK_DEPTH, or 512. In [0, 4096].
[[nodiscard]] MEMPROF_API std::size_t callstack_depth() noexcept;
/// throws      std::invalid_argument above 4096.
MEMPROF_API void set_callstack_depth(std::size_t frames);

}  // namespace memprof::inline v0
