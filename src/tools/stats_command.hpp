// SPDX-License-Identifier: MIT
/// \file
/// `memprof stats`: sizes, lifetimes, series and sites, as text, JSON, CSV and plots.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_stats_command(CLI::App& app);

}  // namespace memprof::tools
