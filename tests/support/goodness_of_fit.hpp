// SPDX-License-Identifier: MIT
/// \file
/// Does a sample follow a law? Tests that return p-values, good far into the tail.
///
/// Every function returns the probability that correct code does at least as badly as the sample
/// given. Compare with `false_alarm`:
///
///     // Correct code fails once in 1e11 seeds.
///     CHECK(geometric_fit_p(gaps, 1e-4) > false_alarm);
///
/// A p-value that is NaN fails such a check. The helpers use random numbers of the standard
/// library with a fixed seed, so they depend neither on the code under test nor on the run.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

namespace memprof::test {

/// Threshold for one check. It leaves room for the approximations below and for ten checks in one
/// test, and still a test fails for nothing less than once in 1e9 seeds.
inline constexpr double false_alarm = 1e-11;

/// One line: the bias that a check with this threshold finds as often as not.
///
/// deviation   of the estimate, as a part of the truth.
inline void print_least_bias(char const* what, double deviation) {
  constexpr double quantile = 6.81;  // of the normal law, two-sided
  std::printf("%-60s finds a bias of %.1f %%\n", what, 100 * quantile * deviation);
}

/// Two-sided p-value of `observed` under the normal law of mean `mean` and deviation `deviation`.
///
/// For a mean of m independent terms of skewness g, the p-value at 1e-11 (z = 6.8) is too small by
/// a factor of exp(53 g / sqrt(m)) or so: 1.1 for a million exponentials.
double z_test_p(double observed, double mean, double deviation);

/// Two-sided exact p-value of `hits` in `trials` under Binomial(trials, probability): twice the
/// smaller tail. Conservative, since the law is discrete.
double binomial_test_p(std::uint64_t hits, std::uint64_t trials, double probability);

/// P(A^2 >= statistic) for the Anderson-Darling statistic of infinitely many uniform numbers.
///
/// Relative accuracy 1e-9 for statistic in [0.3, 300], hence in the far tail. For a finite sample
/// of 1e5 or more that is off by a per cent or so at 1e-11. 0 beyond 300 and for NaN.
double anderson_darling_p(double statistic);

/// Anderson-Darling test that `sample` is uniform on (0, 1). Sensitive in both tails.
double uniform_fit_p(std::span<double const> sample);

/// Anderson-Darling test that `gaps` are geometric: P(G > n) = (1 - per_word)^n, n = 0, 1, 2, ...
///
/// The law is discrete, the statistic wants a continuous one. So each gap is replaced by a point
/// drawn uniformly from its own step of the distribution function (the randomised probability
/// integral transform), which is exactly uniform if the law is right, at every rate.
///
/// per_word    in (0, 1).
double geometric_fit_p(std::span<std::int64_t const> gaps, double per_word);

/// Chi-square test that `draws` follow Binomial(n, probability), 0 < probability < 1.
///
/// Cells are a quarter of a standard deviation wide, out to 4 of them, and merged until each
/// expects 1000 draws or more. The p-value at 1e-11 is then too small by a factor of 6 at worst (if
/// one rare cell makes all of the statistic). NaN if that leaves a single cell: give more draws.
double binomial_fit_p(std::span<std::uint64_t const> draws, std::uint64_t n, double probability);

}  // namespace memprof::test
