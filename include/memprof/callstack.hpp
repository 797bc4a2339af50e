// SPDX-License-Identifier: MIT
/// \file
/// How the call stacks of samples are taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "memprof/detail/export.hpp"

namespace memprof::inline v0 {

/// How the call stacks of samples are taken.
enum class callstack_method {
  /// Frame pointers in code where they were found to be correct, otherwise the unwind tables.
  automatic,
  /// The chain of saved frame pointers, checked against the bounds of the stack and, the first time
  /// for each frame, against the unwind tables: 2 to 5 ns a frame.
  frame_pointers,
  /// The unwind tables, with a cached rule for each return address: 8 to 15 ns a frame, 3 where the
  /// stack has not changed since the thread's last sample.
  unwind_tables
};

/// Sets the method for all samples from now on. Default: MEMPROF_CALLSTACK ("auto", "fp",
/// "tables"), or automatic. `frame_pointers` assumes that all code keeps them: at code that does
/// not, stacks end or miss callers, but nothing crashes.
///
/// \note Threads: any.
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

/// How many innermost frames of a stack are kept unless `start` or `tracing_options` say otherwise:
/// MEMPROF_CALLSTACK_DEPTH, or 512. In [0, 4096].
[[nodiscard]] MEMPROF_API std::size_t callstack_depth() noexcept;
/// \throws std::invalid_argument above 4096.
MEMPROF_API void set_callstack_depth(std::size_t frames);

/// An address of a call stack as text: "parse(char const*)+0x1f (/usr/bin/server+0x4a1e)". Without
/// the function if the module's file names none there; the bare address if no module is there.
///
/// Functions come from the symbol table of the module's file (static ones, too, unless it is
/// stripped). For lines and inlined calls use `addr2line -Cfie /usr/bin/server 0x4a1e`, or
/// `memprof symbolize` for a trace.
///
/// \param return_address as in `allocation::callstack`: describes the call that returns there.
/// \throws std::bad_alloc without memory.
/// \note Threads: any. Takes no lock. Not in signal handlers: it allocates.
/// \note Cost: each call reads the symbol table of the module's file, 0.1 us for each symbol: for
///   reports, not for each sample.
[[nodiscard]] MEMPROF_API std::string describe(void const* return_address);

/// Where a call stack comes from: its innermost call from outside of the C and C++ libraries, as
/// `describe` has it. Of a stack that has none, its innermost call; empty for an empty stack.
///
/// \param callstack innermost first, as in `allocation::callstack`.
/// \note Cost: as `describe`, for each frame up to that call.
[[nodiscard]] MEMPROF_API std::string describe_origin(std::span<void* const> callstack);

}  // namespace memprof::inline v0
