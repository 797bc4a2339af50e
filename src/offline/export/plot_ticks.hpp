// SPDX-License-Identifier: MIT
/// \file
/// Round numbers for the axes of plots, with their texts.
#pragma once

#include <string>
#include <vector>

#include "export/svg_plot.hpp"

namespace memprof::exports {

struct tick {
  double at = 0;
  std::string text;
};

/// Some six ticks within [low, high], low < high: 1, 2 or 5 times a power of ten in the unit that
/// fits. Logarithmic: powers of ten (of two for bytes), low > 0.
[[nodiscard]] std::vector<tick> ticks_of(axis const& a, double low, double high);

}  // namespace memprof::exports
