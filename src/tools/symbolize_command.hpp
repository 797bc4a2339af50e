// SPDX-License-Identifier: MIT
/// \file
/// `memprof symbolize`: writes the names of functions into a trace.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_symbolize_command(CLI::App& app);

}  // namespace memprof::tools
