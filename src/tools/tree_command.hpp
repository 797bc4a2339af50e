// SPDX-License-Identifier: MIT
/// \file
/// `memprof tree`.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_tree_command(CLI::App& app);

}  // namespace memprof::tools
