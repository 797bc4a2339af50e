// SPDX-License-Identifier: MIT
/// \file
/// How exact an amount is whose moment was found by looking at the samples themselves: the peak.
#pragma once

#include <cstdint>

namespace memprof::analysis {

///  - `given`: the samples do not say which are counted: all that was allocated, in use at the end.
///  - `picked`: in use at the peak: each half of the samples is counted at the moment that the
///    other half picked (sample_halves).
enum class moment : std::uint8_t { given, picked };

/// The variance of a count of samples, as a multiple of its mean.
///
/// \see docs/statistical.md (36) for picked moments.
[[nodiscard]] constexpr double variance_of_sample(double rate, moment m) noexcept {
  constexpr double picking = 1.5;
  if (rate >= 1) return 0;
  return m == moment::given ? 1 - rate : picking * (1 - rate / 2);
}

/// In samples.
struct sample_bounds {
  double lower = 0, upper = 0;
};

/// The interval of 95 % of a weighted sum of samples: `value` with the variance `variance`, where
/// an event that was not seen would have counted `unseen`. Of (26), (35) and (37).
[[nodiscard]] sample_bounds weighted_bounds(double value, double variance, double unseen);

/// Of a count at a picked moment: docs/statistical.md (37).
[[nodiscard]] sample_bounds picked_bounds(std::uint64_t samples, double rate);

}  // namespace memprof::analysis
