// SPDX-License-Identifier: MIT
/// \file
/// `memprof dump`.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_dump_command(CLI::App& app);

}  // namespace memprof::tools
