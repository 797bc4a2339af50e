// SPDX-License-Identifier: MIT
#include "analysis/sample_error.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "memprof/confidence.hpp"
#include "memprof/detail/binomial_tail.hpp"

namespace memprof::analysis {

estimated sample_errors::estimate(std::uint64_t samples, moment m) {
  const auto [at, is_new] = (m == moment::given ? known_ : known_picked_).try_emplace(samples);
  if (is_new) at->second = estimated_bytes(info_, samples, m);
  return at->second;
}

estimated objects_estimate(trace::info const& info, amount const& a, moment m) {
  const double rate = info.sample_rate;
  if (rate >= 1) return {a.objects, a.objects, a.objects};
  const double y = a.objects;
  // What was not seen may be the smallest blocks that there are, of two words.
  constexpr double least_words = 2;
  const double unseen = std::max(1 / (least_words * rate), y > 0 ? a.spread / y : 0);
  const sample_bounds b = weighted_bounds(y, variance_of_sample(rate, m) * a.spread, unseen);
  // The blocks that were seen are there, whatever their samples say. (At a picked moment each half
  // counts its own.)
  const auto blocks = static_cast<double>(m == moment::given ? a.blocks : (a.blocks + 1) / 2);
  return {y, std::min(y, std::max(b.lower, blocks)), std::max({y, b.upper, blocks})};
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
