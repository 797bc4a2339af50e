// SPDX-License-Identifier: MIT
/// \file
/// Notes of a trace: what its recorder knew of the process, beside the events.
#pragma once

#include <string_view>

namespace memprof::inline v0::trace {

/// A name and a text. memtrace's format has no notes: in the file one is an announced code that no
/// backtrace uses, which other readers skip. A reader has a note before the events that were
/// written after it.
///
///  - `exit_began`: microseconds: `main` returned, or exit was called. Events before it have
///    smaller times, those after it do not. Empty: void, because the process executed another
///    program after all.
///
/// `memprof record` writes these, too, when a process has ended:
///
///  - `command`: what was run, with its arguments, as a shell would take it
///  - `attached`: microseconds: the process had run for so long when a recorder attached to it.
///    Blocks that it had by then are not in the trace. Not there: from the start on.
///  - `ended`: "exit 3", "signal 9 (Killed)"; of a process that was attached to, why no more was
///    recorded
///  - `resident_peak`: bytes of the process in memory, at the most that was seen
///  - `anonymous_peak`: bytes of these that are no file's, at the most that was seen
///  - `resident`: "STEP KIB KIB ...": memory of the process over time, the most of each step of so
///    many microseconds; "-" where none was seen
///  - `fault`: what the first report of a guarded block said (MEMPROF_GUARD=1)
///  - `threads`: "ID NAME", a line for each thread that was seen
///
/// What gives names to the code of a trace (`memprof symbolize`; `record`, at its end) notes where
/// each module lay:
///
///  - `module`: "LOW HIGH BASE BUILDID PATH", numbers in hexadecimal: codes from LOW to HIGH are
///    BASE more than the addresses that their calls have in the module; "-": it has no build id
///  - `name`: "FROM SIZE CUT", a newline, and a piece of a function's name: the trace calls the
///    function CUT, because its whole name of SIZE bytes does not fit. The piece is of the whole
///    name, from byte FROM on
struct note {
  std::string_view name;   ///< without '='
  std::string_view value;  ///< no zero; what does not fit 3000 bytes is left out

  friend bool operator==(note const&, note const&) = default;
};

}  // namespace memprof::inline v0::trace
