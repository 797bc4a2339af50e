// SPDX-License-Identifier: MIT
/// \file
/// `memprof diff`.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_diff_command(CLI::App& app);

}  // namespace memprof::tools
