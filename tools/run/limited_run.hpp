// SPDX-License-Identifier: MIT
/// \file
/// A program under a memory limit.
#pragma once

#include "tools/run/run_options.hpp"

namespace memprof::tools {

/// Runs the program until it and the processes that it has started have ended.
///
/// \return the exit status of `memprof run`.
int run_limited(run_options const& options);

}  // namespace memprof::tools
