// SPDX-License-Identifier: MIT
/// \file
/// `memprof identify`.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_identify_command(CLI::App& app);

}  // namespace memprof::tools
