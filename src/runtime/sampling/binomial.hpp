// SPDX-License-Identifier: MIT
/// \file
/// How many marks there are: the binomial law, and thinning.
#pragma once

#include <cstdint>

#include "sampling/geometric_distribution.hpp"
#include "sampling/random.hpp"

namespace memprof::sampling {

/// The number of marks among `n` words, each marked with probability `p`: Binomial(n, p).
///
/// \param n words, up to 2^53.
/// \param p in [0, 1]. (Below 0 or NaN counts as 0, above 1 as 1.)
/// \return in [0, n]; 0 if p is 0, n if p is 1, always.
/// \note Accuracy: the exact law to rounding: each probability, out to 40 standard deviations,
///   within a relative 3e-11 for means up to 1e6, growing as their square root to 1e-6 at 2^53.
/// \note Cost: Up to a mean min(np, n(1-p)) of 10 it counts gaps: 20 ns, and 12 ns for each. Above,
///   60 to 85 ns whatever the mean.
[[nodiscard]] std::uint64_t binomial(random_state& random, std::uint64_t n, double p) noexcept;

/// The same, from the same random words, by a law that is at hand: 15 ns less, and 10 less again if
/// there is no mark.
[[nodiscard]] std::uint64_t binomial(random_state& random, std::uint64_t n,
                                     geometric_distribution const& law) noexcept;

/// Marks in a stretch of words, and the position of the first one after it.
struct marks {
  std::uint64_t count;
  std::int64_t next;
};

/// The marks at positions after `from`, up to and including `to`, given that the word at `from` is
/// one, or that a gap was thrown away there. The gap that reaches beyond `to` is not thrown away:
/// one random number for each mark, and no more. From 10 expected marks on they are counted at
/// once, by `binomial`.
///
/// \param from,to from <= to < 2^53.
[[nodiscard]] marks draw_marks(random_state& random, geometric_distribution const& law,
                               std::int64_t from, std::int64_t to) noexcept;

/// How many of `n_samples` marks made at one rate are also marks at a lower rate.
///
/// Keeps each with probability to / from. The marks kept are distributed as if sampled at rate
/// `to` from the start, so one engine at the highest rate serves consumers that want less.
///
/// \param n_samples marks, up to 2^53.
/// \param from_per_word rate they were made at, in (0, 1].
/// \param to_per_word rate wanted, in [0, 1]. If it is `from_per_word` or more, all are kept: marks
///   that were not made cannot be added. At 0 none is.
[[nodiscard]] std::uint64_t thin(random_state& random, std::uint64_t n_samples,
                                 double from_per_word, double to_per_word) noexcept;

namespace detail {

/// log P(K = k) for K of Binomial(n, p), less log n! - n log n + n. Here for its test; `binomial`
/// uses differences of it.
///
/// \param k,n integers, 0 <= k <= n <= 2^53, n > 0.
/// \param p in (0, 1).
/// \note Accuracy: differences: absolute 3 |k - np| 2^-53 + 1e-13, by comparison with 60 digits.
[[nodiscard]] double log_weight(double k, double n, double p) noexcept;

}  // namespace detail
}  // namespace memprof::sampling
