// SPDX-License-Identifier: MIT
/// \file
/// `memprof convert`: a trace in the formats of other tools.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_convert_command(CLI::App& app);

}  // namespace memprof::tools
