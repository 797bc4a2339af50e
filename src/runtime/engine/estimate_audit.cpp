// SPDX-License-Identifier: MIT
#include "engine/estimate_audit.hpp"

#include <algorithm>
#include <cmath>

#include "engine/thread_state.hpp"
#include "engine/totals.hpp"

namespace memprof::engine {

double residual::p_value() const noexcept {
  constexpr double rounding = 1e-5;  // of weights, and of these sums
  const double x = std::abs(excess) - rounding * expected;
  if (!(x > 0.0)) return 1.0;
  return std::min(1.0, 2.0 * std::exp(-x * x / (2.0 * (std::max(0.0, variance) + x))));
}

void expect_block(std::int64_t words, std::uint64_t n,
                  sampling::geometric_distribution const& law) noexcept {
  const double p = law.per_word();
  const auto w = static_cast<double>(words);
  current.block.drawn_at = p;
  if (p >= 1.0) {
    current.block.expected = w;
    add_residual(consumer::live, {.expected = w, .excess = w - static_cast<double>(n)});
    return;
  }
  const double q = 1.0 - law.probability_of_none(words);
  const double mean = w * p / q;
  current.block.expected = mean;
  add_residual(consumer::live, {.expected = mean,
                                .excess = mean - static_cast<double>(n),
                                .variance = mean * (1.0 - p + w * p - mean)});
}

void check_tracked(rounded_contribution const& c) noexcept {
  const double bytes =
      static_cast<double>(c.weight) + static_cast<double>(c.fraction) / (1 << fraction_bits);
  const double excess = bytes * current.block.drawn_at / 8.0 - current.block.expected;
  current.block.expected = 0.0;
  if (excess != 0.0) add_residual(consumer::live, {.excess = excess});
}

void forgo_block() noexcept { current.block.expected = 0.0; }

void close_block() noexcept {
  if (current.block.expected == 0.0) [[likely]]
    return;
  add_residual(consumer::live, {.excess = -current.block.expected});
  current.block.expected = 0.0;
}

void check_thinned(consumer who, std::uint64_t n, std::uint64_t kept, double from,
                   double to) noexcept {
  const double share = to < from ? to / from : 1.0;
  const double mean = static_cast<double>(n) * share;
  add_residual(who, {.expected = mean,
                     .excess = static_cast<double>(kept) - mean,
                     .variance = mean * (1.0 - share)});
}

}  // namespace memprof::engine
