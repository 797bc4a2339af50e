// SPDX-License-Identifier: MIT
/// \file
/// The command line of `memprof`: finds the command that it names and runs it.
#pragma once

namespace memprof::tools {

/// Runs `memprof argv[1] ...`; what goes wrong is said on standard error. Returns the exit status.
/// 0: done; 1: failed; 2: usage; others: defined by the command.
int run_command_line(int argc, char const* const* argv);

}  // namespace memprof::tools
