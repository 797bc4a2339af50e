// SPDX-License-Identifier: MIT
/// \file
/// The same measurement in several processes, one after another.
///
/// Where the modules and the heap come to lie in a process (the kernel chooses) moves a variant on
/// some processors by a tenth or more, in all rounds of the process alike: with `setarch -R`, which
/// has the kernel choose the same each time, processes agree.
#pragma once

#include <string>

#include "options.hpp"
#include "report.hpp"

namespace pairs {

/// Runs this program `o.how.processes` times, each for its part of the rounds, and puts the rounds
/// of all of them together.
///
/// arguments   as main got them.
/// throws      std::runtime_error if one fails.
[[nodiscard]] report measure_in_processes(options const& o, char** arguments);

/// What one of them hands over: every round of every series.
void write_rounds(std::string const& file, report const& r);

}  // namespace pairs
