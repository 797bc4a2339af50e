// SPDX-License-Identifier: MIT
/// \file
/// How the call stacks of samples are taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

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

/// Running totals of the stacks taken since the start of the process.
struct callstack_counters {
  std::uint64_t stacks = 0;
  std::uint64_t frames_by_frame_pointer = 0;
  std::uint64_t frames_by_tables = 0;
  std::uint64_t incomplete = 0;  ///< stacks that ended before the thread's outermost frame
};
[[nodiscard]] MEMPROF_API callstack_counters counters_of_callstacks() noexcept;

/// Frames kept of a stack, the innermost, where its user does not say otherwise (`start`,
/// `tracing_options`): MEMPROF_CALLSTACK_DEPTH, or 512. In [0, 4096].
[[nodiscard]] MEMPROF_API std::size_t callstack_depth() noexcept;
/// throws      std::invalid_argument above 4096.
MEMPROF_API void set_callstack_depth(std::size_t frames);

/// An address of a call stack in words: "parse(char const*)+0x1f (/usr/bin/server+0x4a1e)". Without
/// the function if the module's file names none there; the bare address if no module is there.
///
/// Functions come from the symbol table of the module's file (static ones, too, unless it is
/// stripped). Lines and inlined calls do not: `addr2line -Cfie /usr/bin/server 0x4a1e` names them,
/// or `memprof symbolize` for a trace.
///
/// return_address  as in `allocation::callstack`: the call that ends there is described.
/// throws          std::bad_alloc.
/// threads         any. Takes no lock. Not in signal handlers: it allocates.
/// cost            reads the symbol table of the module's file each time, 0.1 us for each symbol:
///                 for reports, not for each sample.
[[nodiscard]] MEMPROF_API std::string describe(void const* return_address);

}  // namespace memprof::inline v0
