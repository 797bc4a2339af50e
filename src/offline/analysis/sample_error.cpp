// SPDX-License-Identifier: MIT
#include "analysis/sample_error.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "memprof/confidence.hpp"
#include "memprof/detail/binomial_tail.hpp"
#include "memprof/detail/gamma_law.hpp"

namespace memprof::analysis {

bytes_estimate sample_errors::estimate(std::uint64_t samples) {
  const auto [at, is_new] = known_.try_emplace(samples);
  if (!is_new) return at->second;
  const auto n = static_cast<double>(samples);
  const double word = info_.word_bytes();
  bytes_estimate e{.value = info_.bytes_of(n), .lower = 0, .upper = 0};
  if (info_.sample_rate >= 1) {
    e.lower = e.upper = e.value;
  } else {
    try {
      const words_interval words =
          allocated_interval(samples, 0.95, sampling_rate{info_.sample_rate});
      e.lower = static_cast<double>(words.lower.count()) * word;
      e.upper = static_cast<double>(words.upper.count()) * word;
    } catch (std::domain_error const&) {  // beyond 63 bits of words
      const double spread = 1.96 * std::sqrt(n + 1);
      e.lower = info_.bytes_of(std::max(0.0, n - spread));
      e.upper = info_.bytes_of(n + spread);
    }
  }
  return at->second = e;
}

sample_estimate objects_estimate(trace::info const& info, amount const& a) {
  constexpr double miss = 0.025;  // on either side
  const double rate = info.sample_rate;
  const auto seen = static_cast<double>(a.blocks);
  if (rate >= 1) return {a.objects, a.objects, a.objects};
  if (a.samples == 0) return {0, 0, -std::log(miss) / rate};
  using detail::statistics::gamma_quantile;
  const double y = a.objects;
  const double v = (1 - rate) * a.spread;
  // The event that was not seen weighs what the others do in the mean.
  const double unseen = v / y;
  const double lower = v / y * gamma_quantile(y * y / v, miss, true);
  const double mean = y + unseen;
  const double spread = v + unseen * unseen;
  const double upper = spread / mean * gamma_quantile(mean * mean / spread, miss, false);
  // The blocks that were seen are there, whatever their samples say.
  return {y, std::min(y, std::max(lower, seen)), std::max({y, upper, seen})};
}

double chance_of_difference(std::uint64_t a, double scale_a, std::uint64_t b, double scale_b) {
  const std::uint64_t n = a + b;
  if (n == 0) return 1;
  // Equal amounts: the counts' means are as 1 / scale.
  const double p = scale_b / (scale_a + scale_b);
  if (n > std::uint64_t{1} << 40) {
    const auto count = static_cast<double>(n);
    const double z = (static_cast<double>(a) - count * p) / std::sqrt(count * p * (1 - p));
    return std::erfc(std::fabs(z) / std::sqrt(2.0));
  }
  const auto k = static_cast<std::int64_t>(a);
  const auto all = static_cast<std::int64_t>(n);
  using detail::statistics::tails;
  const double at_least = k == 0 ? 1 : tails(k, all, p).upper();
  const double at_most = k == all ? 1 : tails(k + 1, all, p).lower();
  return std::min(1.0, 2 * std::min(at_least, at_most));
}

}  // namespace memprof::analysis
