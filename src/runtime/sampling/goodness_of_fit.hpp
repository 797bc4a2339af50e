// SPDX-License-Identifier: MIT
/// \file
/// Do the samples that were taken follow the law? A p-value of tallies of words and samples.
#pragma once

#include <cstdint>
#include <span>

namespace memprof::sampling {

/// Words that were put into one cell by a rule that knows only what came before them, and the
/// samples found among them. Word i was to be one with probability p_i, independently.
struct tally {
  std::uint64_t samples = 0;
  double expected = 0;  ///< the sum of p_i
  double squares = 0;   ///< the sum of p_i^2

  void add_words(double count, double per_word) noexcept {
    expected += count * per_word;
    squares += count * per_word * per_word;
  }
  /// Of `samples`. Exact, as the words are independent: sum of p_i (1 - p_i).
  [[nodiscard]] double variance() const noexcept { return expected - squares; }

  tally& operator+=(tally const& other) noexcept {
    samples += other.samples;
    expected += other.expected;
    squares += other.squares;
    return *this;
  }
};

/// Every number is finite; p-values are in [0, 1].
struct test_result {
  std::uint64_t samples = 0;
  double expected = 0;
  double z = 0;        ///< (samples - expected) / standard deviation
  double count_p = 1;  ///< two-sided, of the number of samples: is the rate right?
  double shape_p = 1;  ///< of how they are spread over the cells, given their number
  double p = 1;        ///< of both together
};

/// Below this variance there is no test_result: all p-values are 1.
inline constexpr double least_variance = 200;
/// Cells are pooled with those after them until each has this variance.
inline constexpr double least_cell_variance = 25;

/// Judges tallies, at most 16; neighbours should be alike, for small ones are pooled.
///
/// \see docs/statistical.md, "The audit", (30) to (33).
/// \note Accuracy: p-values are uniform for correct samples to within 0.03 at 200 samples, and the
///   error falls as one over their square root; in the tail (1e-9) they are right to a factor of
///   1.5 at 200, 1.1 at 10 000. Computed to a relative 1e-12 down to 1e-300.
/// \note Cost: about a microsecond. Does not allocate.
[[nodiscard]] test_result goodness_of_fit(std::span<tally const> tallies) noexcept;

namespace detail {

/// The signed root of the deviance of a tally, (31): standard normal, far out too. (A tally that
/// could not be, of more samples than words, gives the largest.)
/// In [-1e145, 1e145]. 0 if the variance is not positive.
[[nodiscard]] double signed_root(tally const& t) noexcept;

/// P(chi-square of `freedom` degrees >= x), for freedom >= 1: a finite sum of positive terms.
/// \note Accuracy: relative 1e-12 down to 1e-300.
[[nodiscard]] double chi_square_tail(int freedom, double x) noexcept;

}  // namespace detail
}  // namespace memprof::sampling
