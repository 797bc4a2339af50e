// SPDX-License-Identifier: MIT
/// \file
/// The file that must not be left behind when the command is interrupted.
#pragma once

namespace memprof::tools {

/// From now on SIGINT, SIGTERM and SIGHUP remove the file `path` before they end the process. Null:
/// there is none any more. One file at a time.
void remove_on_signal(char const* path);

}  // namespace memprof::tools
