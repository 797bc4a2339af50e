// SPDX-License-Identifier: MIT
/// \file
/// Tracing this process: writes its sampled allocations, promotions and frees to a file in
/// memtrace's format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "memprof/detail/export.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// The default rate of a trace: 1e-6 per word, one sample for each 8 MB allocated.
inline constexpr sampling_rate default_trace_rate{1e-6};

///  - `rate`: samples per word, in (0, 1]. The engine samples at the highest rate in use and thins
///    for the others, so a trace disturbs no limit.
///  - `context`: free text for the trace; empty: none. Cut after 8 KiB.
///  - `callstack_size`: how many innermost frames of a stack to keep, at most 4096; nullopt:
///    `callstack_depth()`.
struct tracing_options {
  sampling_rate rate = default_trace_rate;
  std::string context = {};
  std::optional<std::size_t> callstack_size = {};
};

/// Starts to trace to `file`, until `stop_tracing` or the end of the process.
///
/// The file is created (mode 0600), locked and emptied. "%p" in its name becomes the process id; a
/// forked child is then traced to a file of its own. Without "%p" a child is not traced. The trace
/// of the parent continues in either case. The program's threads only put events into a bounded
/// queue; a thread of the library encodes and writes them. If the queue stays full for too long,
/// events are dropped, counted and reported.
///
/// \throws std::invalid_argument for a rate outside (0, 1] or an empty name.
/// \throws std::logic_error if a trace is already being written.
/// \throws std::system_error if the file cannot be opened, locked or begun.
/// \throws not_active if nothing feeds the sampler.
/// \note Threads: any. Not from a signal handler or a callback of the library.
///
/// A later failure (a full disk) ends the trace with one line on standard error; the program goes
/// on. The trace also contains the interrupts raised while it is written:
/// `trace::reader::interrupts`.
MEMPROF_API void start_tracing(std::string const& file, tracing_options const& options = {});

/// Writes what is outstanding and closes the file. Waits for the writing thread. No effect if no
/// trace is being written.
MEMPROF_API void stop_tracing() noexcept;

/// Whether a trace is being written. False once writing has failed.
[[nodiscard]] MEMPROF_API bool currently_tracing() noexcept;

/// If the environment variable MEMTRACE names a file, traces to it until the process ends.
///
/// MEMTRACE is then emptied in the environment, so that programs started from here are not traced
/// to the same file. MEMTRACE_RATE, a number in (0, 1], takes precedence over `rate`. No effect if
/// a trace is already being written.
///
/// \param context free text for the trace.
/// \param rate samples per word, unless MEMTRACE_RATE is set.
/// \throws std::invalid_argument naming the variable, if MEMTRACE_RATE is not such a number;
///   otherwise as `start_tracing`.
MEMPROF_API void trace_if_requested(std::string const& context = {},
                                    sampling_rate rate = default_trace_rate);

/// Counts of the trace that is being written, or else of the last one. A forked child starts at
/// zero.
///
///  - `allocations`, `promotions`, `collections`: written to the file.
///  - `dropped`: sampled blocks and interrupts that are missing from the file, because there was no
///    memory or the ring was full for too long.
///  - `bytes_written`: size of the file.
struct tracing_counters {
  std::uint64_t allocations = 0;
  std::uint64_t promotions = 0;
  std::uint64_t collections = 0;
  std::uint64_t dropped = 0;
  std::uint64_t bytes_written = 0;
};
[[nodiscard]] MEMPROF_API tracing_counters counters_of_tracing() noexcept;

}  // namespace memprof::inline v0
