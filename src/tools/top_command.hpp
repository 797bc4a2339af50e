// SPDX-License-Identifier: MIT
/// \file
/// `memprof top`.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_top_command(CLI::App& app);

}  // namespace memprof::tools
