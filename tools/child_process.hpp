// SPDX-License-Identifier: MIT
/// \file
/// Runs a program as a child with our standard streams, and forwards signals to it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace memprof::tools {

using environment_changes = std::vector<std::pair<std::string, std::string>>;

/// How the program ended.
struct child_end {
  int exec_error = 0;  ///< errno if it could not be run at all
  bool signalled = false;
  int number = 0;  ///< exit status, or signal
  pid_t process = 0;
  /// Bytes in memory at its peak; 0: not known, as it was no more than the child had before.
  std::uint64_t resident = 0;
};

/// What is called meanwhile. Each may be empty, and throws nothing, but for `started`.
///
///  - `in_child`: in the child before it becomes the program.
///  - `started`: once when there is a child, with its process, before that becomes the program. If
///    it throws, there will be no program.
///  - `takes`: before a signal is sent on: true if it is not to be.
///  - `stopping`: before this process stops, because the program was stopped.
///  - `continued`: when both go on.
struct child_hooks {
  std::function<void()> in_child;
  std::function<void(pid_t)> started;
  std::function<bool(int signal)> takes;
  std::function<void()> stopping;
  std::function<void()> continued;
};

/// Runs `arguments` and waits for the end.
///
/// Signals that a user sends to this process (INT, TERM, HUP, QUIT, USR1, USR2) are sent on; what a
/// terminal sends reaches the program by itself. If the program is stopped, so is this process,
/// until one of the two is continued.
///
/// \throws std::system_error if there can be no child; what `started` throws.
child_end run_child(std::vector<std::string> const& arguments,
                    environment_changes const& environment, child_hooks const& hooks = {});

/// From now on a limit on the size of files (RLIMIT_FSIZE) is an error here, not the end.
/// Children of `run_child` begin as they would without.
void survive_file_size_limit() noexcept;

/// As a shell says it: 128 + n for a signal, 127 and 126 for what could not be run.
[[nodiscard]] int exit_status_of(child_end const& end) noexcept;

}  // namespace memprof::tools
