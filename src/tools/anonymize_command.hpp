// SPDX-License-Identifier: MIT
/// \file
/// `memprof anonymize`: a trace without names, to be shared.
#pragma once

#include "tools/commands.hpp"

namespace memprof::tools {

command add_anonymize_command(CLI::App& app);

}  // namespace memprof::tools
