// SPDX-License-Identifier: MIT
#include "analysis/picked_moment.hpp"

#include <algorithm>

#include "memprof/detail/gamma_law.hpp"

namespace memprof::analysis {

sample_bounds weighted_bounds(double value, double variance, double unseen) {
  using detail::statistics::gamma_quantile;
  constexpr double miss = 0.025;  // on either side
  sample_bounds b;
  if (value > 0) {
    // A single sample: nothing can be said of its variance, but that it is one event.
    const double scale = std::min(variance / value, value);
    b.lower = scale * gamma_quantile(value / scale, miss, true);
  }
  const double mean = value + unseen;
  const double spread = variance + unseen * unseen;
  b.upper = spread / mean * gamma_quantile(mean * mean / spread, miss, false);
  return b;
}

sample_bounds picked_bounds(std::uint64_t samples, double rate) {
  const auto n = static_cast<double>(samples);
  if (rate >= 1) return {n, n};
  return weighted_bounds(n, variance_of_sample(rate, moment::picked) * n, 1);
}

}  // namespace memprof::analysis
