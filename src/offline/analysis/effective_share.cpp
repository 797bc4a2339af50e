// SPDX-License-Identifier: MIT
#include "analysis/effective_share.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "memprof/detail/binomial_tail.hpp"

namespace memprof::analysis {
namespace {

constexpr double miss = 0.025;  // on either side

/// p with P(Bin(n, p) >= k) = miss, 1 <= k <= n, to 1e-9 of it: by false position (Illinois) in the
/// logarithms, which are next to straight.
double least_share(std::int64_t k, std::int64_t n) {
  if (k == n) return std::pow(miss, 1 / static_cast<double>(n));
  if (k == 1) return -std::expm1(std::log1p(-miss) / static_cast<double>(n));
  const auto height = [&](double x) {
    return std::log(detail::statistics::tails(k, n, std::exp(x)).upper() / miss);
  };
  double high = std::log(static_cast<double>(k) / static_cast<double>(n));
  double low = high - 4.6;  // P is under 3e-4 there for k = 2, and less for more
  double at_low = height(low), at_high = height(high);
  // With many observations the tail at `low` is 0 in double precision: halve until it is not.
  while (high - low > 1e-9 && !std::isfinite(at_low)) {
    const double x = (low + high) / 2;
    const double at = height(x);
    (at < 0 ? low : high) = x;
    (at < 0 ? at_low : at_high) = at;
  }
  int side = 0;
  while (high - low > 1e-9) {
    const double x = (low * at_high - high * at_low) / (at_high - at_low);
    const double at = height(x);
    if (std::fabs(at) < 1e-10) return std::exp(x);
    (at < 0 ? low : high) = x;
    (at < 0 ? at_low : at_high) = at;
    const int now = at < 0 ? -1 : 1;
    if (now == side) (at < 0 ? at_high : at_low) /= 2;
    side = now;
  }
  return std::exp((low + high) / 2);
}

}  // namespace

estimated effective_share(double share, double effective) {
  // Sums of weights are whole but for their rounding.
  constexpr double rounding = 1e-9, most = 1e15;
  const double n = std::floor(std::clamp(effective * (1 + rounding), 1.0, most));
  const auto whole = static_cast<std::int64_t>(n);
  const auto few = static_cast<std::int64_t>(std::floor(share * n * (1 + rounding)));
  const auto many = static_cast<std::int64_t>(std::ceil(share * n * (1 - rounding)));
  return {.value = share,
          .lower = few <= 0 ? 0 : std::min(share, least_share(std::min(few, whole), whole)),
          .upper = many >= whole ? 1 : std::max(share, 1 - least_share(whole - many, whole))};
}

estimated estimated_share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return {};
  const auto n = static_cast<double>(whole);
  return effective_share(static_cast<double>(part) / n, n);
}

}  // namespace memprof::analysis
