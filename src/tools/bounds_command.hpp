// SPDX-License-Identifier: MIT
/// \file
/// `memprof bounds`: what a limit guarantees, and which limit and rate to choose.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_bounds_command(CLI::App& app);

}  // namespace memprof::tools
