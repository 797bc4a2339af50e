// SPDX-License-Identifier: MIT
/// \file
/// `memprof record`: runs a program and traces it.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

/// Exit status: the program's; 128 + n if signal n ended it; 127 if it was not found, 126 if it
/// cannot be run or not be traced; 1 if there is no trace in the end.
command add_record_command(CLI::App& app);

}  // namespace memprof::tools
