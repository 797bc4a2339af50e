// SPDX-License-Identifier: MIT
/// \file
/// `memprof record --pid`: records a process that runs already, until the user or a time ends it.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

#include "recorder/recorder.hpp"
#include "tools/finished_recording.hpp"
#include "tools/live_view.hpp"
#include "tools/recorded_files.hpp"

namespace memprof::tools {

///  - `seconds`: from the moment on at which the process is recorded; none: until Ctrl-C.
struct attached_options {
  recorder::attach_wish wish;
  std::optional<double> seconds;
  std::string context;
  finish_options finish;
};

/// The process's number. throws usage_error.
[[nodiscard]] pid_t parse_pid(std::string const& text);

/// The name of its program, without a folder, for the name of its trace.
[[nodiscard]] std::string program_name_of(pid_t process);

/// \return the exit status: 1 if it could not be attached to, which was said.
int record_attached(pid_t process, attached_options const& o, recorded_files const& files,
                    live_view& view);

}  // namespace memprof::tools
