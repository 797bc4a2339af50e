// SPDX-License-Identifier: MIT
/// \file
/// What `record` does when the processes have ended, or are left: the traces get their names and
/// symbols, and the user sees what there is.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "recorder/recorder.hpp"
#include "tools/recorded_files.hpp"

namespace memprof::tools {

///  - `force`: overwrites a trace that exists by now.
///  - `no_symbols`: leaves addresses.
///  - `debuginfod`: of symbolize::resolver_options.
///  - `serve`: the trace is looked at in a browser, so no next command is suggested.
struct finish_options {
  bool force = false;
  bool quiet = false;
  bool no_symbols = false;
  bool debuginfod = false;
  bool serve = false;
};

/// On standard error, unless it is to be quiet.
void say(finish_options const& o, std::string const& text);

/// Waits for the processes that are still recorded when the program has ended, until the user ends
/// that.
void wait_for_children(finish_options const& o, recorder::recording& to,
                       std::string const& program);

/// The traces that there are, the one of the program first.
std::vector<recorded_file> finish_all(finish_options const& o, recorded_files const& files,
                                      recorder::recording_result result, pid_t program);

/// Some trace could not be written, or not to its end; `finish_all` says so.
[[nodiscard]] bool has_failed(recorder::recording_result const& result) noexcept;

/// Processes without a trace.
void report_others(finish_options const& o, recorder::recording_result const& result);

/// For `recording_options::after_look`: says once, and when it happens, that so many processes run
/// that not all can be traced. `recording` need not have begun to live.
[[nodiscard]] std::function<std::chrono::milliseconds(std::vector<pid_t> const&)> no_room_notice(
    recorder::recording const& recording);

}  // namespace memprof::tools
