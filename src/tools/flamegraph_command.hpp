// SPDX-License-Identifier: MIT
/// \file
/// `memprof flamegraph`.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_flamegraph_command(CLI::App& app);

}  // namespace memprof::tools
