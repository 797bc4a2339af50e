// SPDX-License-Identifier: MIT
/// \file
/// `memprof repair`: what can be read of a damaged trace, as a clean one.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_repair_command(CLI::App& app);

}  // namespace memprof::tools
