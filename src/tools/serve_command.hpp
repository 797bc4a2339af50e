// SPDX-License-Identifier: MIT
/// \file
/// `memprof serve`.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_serve_command(CLI::App& app);

}  // namespace memprof::tools
