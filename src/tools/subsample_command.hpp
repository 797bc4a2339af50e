// SPDX-License-Identifier: MIT
/// \file
/// `memprof subsample`: fewer samples, or a part of the time, of a trace.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_subsample_command(CLI::App& app);

}  // namespace memprof::tools
