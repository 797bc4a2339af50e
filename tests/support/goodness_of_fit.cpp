// SPDX-License-Identifier: MIT
#include "support/goodness_of_fit.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace memprof::test {
namespace {

constexpr double pi = std::numbers::pi;

// A^2 = -m - 1/m sum_{i=1..m} (2i-1) (log u_(i) + log(1 - u_(m+1-i))), of u given as logarithms so
// that neither tail is rounded.
double anderson_darling_statistic(std::vector<double> log_u) {
  std::ranges::sort(log_u);
  std::size_t const m = log_u.size();
  double sum = 0;
  for (std::size_t i = 0; i < m; ++i) {
    double const log_complement = std::log(-std::expm1(log_u[m - 1 - i]));
    sum += static_cast<double>(2 * i + 1) * (log_u[i] + log_complement);
  }
  auto const size = static_cast<double>(m);
  return -size - sum / size;
}

}  // namespace

double z_test_p(double observed, double mean, double deviation) {
  return std::erfc(std::abs(observed - mean) / deviation / std::numbers::sqrt2);
}

double binomial_test_p(std::uint64_t hits, std::uint64_t trials, double probability) {
  boost::math::binomial const law(static_cast<double>(trials), probability);
  auto const k = static_cast<double>(hits);
  double const at_most = boost::math::cdf(law, k);
  double const at_least = hits == 0 ? 1 : boost::math::cdf(boost::math::complement(law, k - 1));
  return std::min(1., 2 * std::min(at_most, at_least));
}

// A^2 is a sum of z_j^2 / (j (j+1)) over j >= 1, with z_j standard normal (Anderson, Darling 1952).
// Its moment generating function E exp(s A^2) = D(s)^(-1/2), with zeros of D at s_j = j (j+1) / 2:
//     D(s) = prod (1 - s / s_j) = -cos(pi/2 sqrt(1 + 8 s)) / (2 pi s).
// Smirnov's formula for such sums, exact:
//     P(A^2 > x) = 1/pi sum_{k>=1} (-1)^(k+1) int_{s_(2k-1)}^{s_(2k)} exp(-s x) / (s sqrt|D(s)|) ds
// Every term is smaller than the one before by exp(-x (4k + 1)), so far out the first is all there
// is, and nothing cancels: P tends to sqrt(3) erfc(sqrt(x)). Substituting s = middle - half cos(t)
// removes the singularities at both ends, and the midpoint rule then converges geometrically.
// (Marsaglia and Marsaglia 2004 compute 1 - P to 1e-15 absolute, which is too coarse at 1e-11.)
double anderson_darling_p(double statistic) {
  if (!(statistic < 300)) return 0;  // NaN and infinity, too: a sample with u = 0 or 1
  if (statistic < 0.1) return 1;     // P(A^2 < 0.1) < 1e-4
  constexpr int nodes = 400;
  double tail = 0;
  for (int k = 1; k <= 40; ++k) {
    double const low = k * (2. * k - 1);
    double const high = k * (2. * k + 1);
    double const middle = (low + high) / 2;
    double const half = (high - low) / 2;
    double term = 0;
    for (int i = 0; i < nodes; ++i) {
      double const t = pi * (i + 0.5) / nodes;
      double const s = middle - half * std::cos(t);
      double const d = -std::cos(pi / 2 * std::sqrt(1 + 8 * s)) / (2 * pi * s);
      term += std::exp(-s * statistic) / (s * std::sqrt(std::abs(d))) * half * std::sin(t);
    }
    term /= nodes;  // the step pi / nodes, times 1 / pi
    tail += k % 2 == 1 ? term : -term;
    if (term < 1e-17 * tail) break;
  }
  return std::min(1., tail);
}

double uniform_fit_p(std::span<double const> sample) {
  std::vector<double> log_u;
  log_u.reserve(sample.size());
  for (double const u : sample) log_u.push_back(std::log(u));
  return anderson_darling_p(anderson_darling_statistic(std::move(log_u)));
}

// The step of G = g in the survival function is from (1-p)^g to (1-p)^(g-1); the point at fraction
// v down from its top is (1-p)^(g-1) (1 - v p).
double geometric_fit_p(std::span<std::int64_t const> gaps, double per_word) {
  std::mt19937_64 random(0x616e646572736f6e);
  std::vector<double> log_u;
  log_u.reserve(gaps.size());
  for (std::int64_t const g : gaps) {
    if (g < 1) return 0;
    double const v = (static_cast<double>(random() >> 12) + 0.5) * 0x1p-52;
    log_u.push_back(static_cast<double>(g - 1) * std::log1p(-per_word) + std::log1p(-v * per_word));
  }
  return anderson_darling_p(anderson_darling_statistic(std::move(log_u)));
}

double binomial_fit_p(std::span<std::uint64_t const> draws, std::uint64_t n, double probability) {
  auto const size = static_cast<double>(draws.size());
  auto const words = static_cast<double>(n);
  boost::math::binomial const law(words, probability);
  double const mean = boost::math::mean(law);
  double const deviation = boost::math::standard_deviation(law);

  std::vector<double> last;      // of each cell but the last one, the greatest count in it
  std::vector<double> expected;  // draws in each cell
  double before = 0;             // P(a draw is in an earlier cell)
  for (int quarter = -16; quarter <= 16; ++quarter) {
    double const k = std::floor(mean + quarter * 0.25 * deviation);
    if (k < 0 || k >= words) continue;
    double const through = boost::math::cdf(law, k);
    if ((through - before) * size < 1000 || (1 - through) * size < 1000) continue;
    last.push_back(k);
    expected.push_back((through - before) * size);
    before = through;
  }
  expected.push_back((1 - before) * size);
  if (last.empty()) return std::numeric_limits<double>::quiet_NaN();

  std::vector<double> seen(expected.size());
  for (std::uint64_t const draw : draws) {
    if (draw > n) return 0;
    auto const cell = std::ranges::lower_bound(last, static_cast<double>(draw)) - last.begin();
    ++seen[static_cast<std::size_t>(cell)];
  }
  double statistic = 0;
  for (std::size_t cell = 0; cell < seen.size(); ++cell)
    statistic += (seen[cell] - expected[cell]) * (seen[cell] - expected[cell]) / expected[cell];
  boost::math::chi_squared const reference(static_cast<double>(last.size()));
  return boost::math::cdf(boost::math::complement(reference, statistic));
}

}  // namespace memprof::test
