// SPDX-License-Identifier: MIT
#include "analysis/difference_of_shares.hpp"

#include <algorithm>
#include <cmath>

#include "memprof/detail/binomial_tail.hpp"

namespace memprof::analysis {

double chance_of_shares(std::uint64_t a, std::uint64_t whole_a, std::uint64_t b,
                        std::uint64_t whole_b) {
  const std::uint64_t hits = a + b, all = whole_a + whole_b;
  if (hits == 0 || hits >= all || whole_a == 0 || whole_b == 0) return 1;
  const auto n = static_cast<double>(all);
  const double p = static_cast<double>(hits) / n;
  if (all > std::uint64_t{1} << 40) {
    const double mean = p * static_cast<double>(whole_a);
    const double variance = mean * (1 - p) * static_cast<double>(whole_b) / n;
    const double z = (static_cast<double>(a) - mean) / std::sqrt(variance);
    return std::erfc(std::fabs(z) / std::sqrt(2.0));
  }
  // Given all hits, those of `a` are hypergeometric: a quotient of binomial masses, at any p.
  const auto log_mass = [&](std::uint64_t k, std::uint64_t of) {
    const auto exact =
        static_cast<detail::statistics::quad>(hits) / static_cast<detail::statistics::quad>(all);
    return detail::statistics::log_mass(static_cast<std::int64_t>(k), static_cast<std::int64_t>(of),
                                        exact, 1 - exact);
  };
  const double mass = std::exp(
      static_cast<double>(log_mass(a, whole_a) + log_mass(b, whole_b) - log_mass(hits, all)));
  // The tail away from the mean, as a sum of ratios that only fall.
  const bool up = static_cast<double>(a) >= p * static_cast<double>(whole_a);
  const auto in = static_cast<double>(up ? a : b),
             in_whole = static_cast<double>(up ? whole_a : whole_b);
  const auto out = static_cast<double>(up ? b : a),
             out_whole = static_cast<double>(up ? whole_b : whole_a);
  double sum = 1, term = 1;
  for (double k = 0; k < out && in + k < in_whole && term > 1e-17 * sum; ++k) {
    term *= (in_whole - in - k) / (in + k + 1) * (out - k) / (out_whole - out + k + 1);
    sum += term;
  }
  const double tail = std::min(1.0, mass * sum);
  return std::min(1.0, 2 * std::min(tail, 1 - tail + mass));
}

}  // namespace memprof::analysis
