// SPDX-License-Identifier: MIT
/// \file
/// What the engine of this library does.
#pragma once

#include <filesystem>

namespace statistics {

/// measured.tsv      words allocated when the interrupt came: a histogram for each limit and size
///                   of blocks, and what the law says of the same bins
/// live.tsv          live heaps of known size, and what was estimated: mean, spread, bounds
void write_measurements(std::filesystem::path const& folder, int runs);

}  // namespace statistics
