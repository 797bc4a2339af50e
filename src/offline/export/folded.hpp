// SPDX-License-Identifier: MIT
/// \file
/// Folded stacks: a line for each backtrace, what flame graphs are drawn from.
#pragma once

#include <iosfwd>

#include "analysis/analysis.hpp"

namespace memprof::exports {

/// "outermost;...;innermost SAMPLES", every frame as it is, sorted. (`memprof flamegraph` writes
/// them as memtrace's tool does, recursion folded.)
void write_folded(std::ostream& out, analysis::usage const& profile);

}  // namespace memprof::exports
