// SPDX-License-Identifier: MIT
#include "sampling/binomial.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace memprof::sampling {
namespace {

// Below this mean, gaps are counted. The rejection's constants are proven from here on only.
constexpr double least_rejection_mean = 10;

// So that an unseeded state does not hang malloc. Otherwise it takes more once in 1e500.
constexpr int most_turns = 1000;

// Walk from mark to mark while still inside.
std::uint64_t count_gaps(random_state& random, std::uint64_t n,
                         geometric_distribution const& law) noexcept {
  std::uint64_t marks = 0;
  auto left = static_cast<std::int64_t>(n);
  for (std::int64_t gap = law.draw_within(random, left); gap <= left;
       gap = law.draw_within(random, left)) {
    ++marks;
    left -= gap;
  }
  return marks;
}

// log k! - (k log k - k): what Stirling's leading terms leave, 1/2 log(2 pi k) + 1/(12 k) - ...
// (0 for k = 0, with 0 log 0 = 0). The first term left out of the series is 1/(1188 k^9), under
// 2e-14 from k = 16 on.
double stirling_rest(double k) noexcept {
  static constexpr double table[] = {0,
                                     1,
                                     1.30685281944005469,
                                     1.49592260322372593,
                                     1.63287638586838314,
                                     1.74030218061154412,
                                     1.82869439664177099,
                                     1.90379031767822116,
                                     1.9690705693065628,
                                     2.02680628405549517,
                                     2.07856164313505846,
                                     2.12545984509180985,
                                     2.16833469820588243,
                                     2.20782220612344532,
                                     2.2444185681250609,
                                     2.27851836730774058};
  if (k < 16) return table[static_cast<int>(k)];
  double const r = 1 / (k * k);
  double const series = (1. / 12 - (1. / 360 - (1. / 1260 - r / 1680) * r) * r) / k;
  return 0.5 * std::log(2 * std::numbers::pi * k) + series;
}

// x log(x / mean) + mean - x, the deviance, as mean * ((1+d) log(1+d) - d) with x = (1+d) mean.
// Its absolute error is about 3 |x - mean| 2^-53, not 2^-53 times the terms it is the difference
// of: that is why n can be 2^53.
double deviance(double x, double mean) noexcept {
  if (x == 0) return mean;
  double const d = (x - mean) / mean;
  return mean * ((1 + d) * std::log1p(d) - d);
}

// Algorithm BTRS of W. Hoermann 1993, "The generation of binomial random variates", J. Statist.
// Comput. Simul. 46, 101-110: rejection from a table-mountain hat by way of its inverse.
//
// Let f(k) = P(k) / P(mode), read as a step function of x with k = floor(x), and
//     G(u) = (2 a / us + b) u + c,   us = 1/2 - |u|,   u in (-1/2, 1/2),   G'(u) = a / us^2 + b.
// A uniform u, accepted with probability r(u) = f(G(u)) G'(u) / alpha, makes G(u) distributed as f.
// That needs r <= 1, and the fitted constants below grant it for n p >= 10, p <= 1/2, as well as
// the squeeze: r > v_r wherever us >= 0.07, so there v <= v_r needs no look at f. Evaluated on a
// grid of u, p and n from 20 to 9e15: r <= 0.9954, r - v_r >= 0.0046; 1.13 (large sigma) to 1.41
// (n = 20) turns per draw; the squeeze decides 0.89 to 0.37 of them.
//
// Where rounding could bite: v keeps its true tail, and so does the result's, for far out it is v
// that says no. us is drawn directly, as finely as it is small, because out there many k share
// little u; and c's whole part is added after the floor, so that every k gets its full share of x.
std::uint64_t reject(random_state& random, double n, double p) noexcept {
  double const sigma = std::sqrt(n * p * (1 - p));
  double const b = 1.15 + 2.53 * sigma;
  double const a = -0.0873 + 0.0248 * b + 0.01 * p;
  double const c = n * p + 0.5;
  double const c_whole = std::floor(c);
  double const v_r = 0.92 - 4.2 / b;
  double const alpha = (2.83 + 5.1 / b) * sigma;
  double const mode = std::floor((n + 1) * p);
  double const log_mode = detail::log_weight(mode, n, p);
  for (int turn = 0; turn < most_turns; ++turn) {
    double const v = uniform(random);
    double const us = 0.5 * uniform(random);
    double const u = next(random) >> 63 != 0 ? 0.5 - us : us - 0.5;
    double const k = c_whole + std::floor((2 * a / us + b) * u + (c - c_whole));
    if (!(k >= 0 && k <= n)) continue;
    if (us >= 0.07 && v <= v_r) return static_cast<std::uint64_t>(k);
    if (std::log(v * alpha / (a / (us * us) + b)) <= detail::log_weight(k, n, p) - log_mode)
      return static_cast<std::uint64_t>(k);
  }
  return static_cast<std::uint64_t>(mode);
}

}  // namespace

// With log j! = j log j - j + rest(j), the large terms of n! / (k! (n-k)!) p^k q^(n-k) collect into
// deviances (C. Loader 2000, "Fast and accurate computation of binomial probabilities"):
//     log P(k) = rest(n) - rest(k) - rest(n-k) - deviance(k, np) - deviance(n-k, nq)
double detail::log_weight(double k, double n, double p) noexcept {
  return -stirling_rest(k) - stirling_rest(n - k) - deviance(k, n * p) -
         deviance(n - k, n * (1 - p));
}

std::uint64_t binomial(random_state& random, std::uint64_t n, double p) noexcept {
  if (n == 0 || !(p > 0)) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - binomial(random, n, 1 - p);  // 1 - p is exact here
  auto const words = static_cast<double>(n);
  if (words * p < least_rejection_mean) return count_gaps(random, n, geometric_distribution(p));
  return reject(random, words, p);
}

std::uint64_t binomial(random_state& random, std::uint64_t n,
                       geometric_distribution const& law) noexcept {
  double const p = law.per_word();
  if (n == 0 || !(p <= 0.5) || static_cast<double>(n) * p >= least_rejection_mean) {
    return binomial(random, n, p);
  }
  return count_gaps(random, n, law);
}

// `never` is 2^62: no sum of a position and a gap overflows.
marks draw_marks(random_state& random, geometric_distribution const& law, std::int64_t from,
                 std::int64_t to) noexcept {
  if (static_cast<double>(to - from) * law.per_word() >= least_rejection_mean) [[unlikely]] {
    std::uint64_t const count = binomial(random, static_cast<std::uint64_t>(to - from), law);
    return {.count = count, .next = to + law.draw(random)};
  }
  marks m{.count = 0, .next = from + law.draw(random)};
  while (m.next <= to) {
    ++m.count;
    m.next += law.draw(random);
  }
  return m;
}

std::uint64_t thin(random_state& random, std::uint64_t n_samples, double from_per_word,
                   double to_per_word) noexcept {
  if (to_per_word >= from_per_word) return n_samples;
  return binomial(random, n_samples, to_per_word / from_per_word);
}

}  // namespace memprof::sampling
