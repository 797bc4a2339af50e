// SPDX-License-Identifier: MIT
/// \file
/// What the bounds say, over ranges of their arguments.
#pragma once

#include <filesystem>

namespace statistics {

/// interruption.tsv    P(interrupted) over n / limit, a curve for each number of samples
/// accuracy.tsv        how far safe and certain amounts are from the limit, over the limit
/// safe_limit.tsv      the least limit for a safe amount, over the amount, a curve for each rate
/// minimal_rate.tsv    the least rate over the safe amount, a curve for each ratio
/// stop.tsv            safe, limit, certain, over the limit
void write_curves(std::filesystem::path const& folder);

}  // namespace statistics
