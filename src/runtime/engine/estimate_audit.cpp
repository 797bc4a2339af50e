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

namespace {

/// The block's consumer made `kept` samples of it, where `mean` was due.
void settle(double mean, double kept) noexcept {
  auto& b = current.block;
  const double p = b.drawn_at;
  const double variance = mean * (1.0 - p + static_cast<double>(b.words) * p - mean);
  add_residual(consumer::live, {.expected = mean,
                                .excess = kept - static_cast<double>(b.n_samples),
                                .variance = std::max(0.0, variance)});
  b.n_samples = 0;
}

}  // namespace

void expect_block(std::int64_t words, std::uint64_t n,
                  sampling::geometric_distribution const& law) noexcept {
  current.block.n_samples = static_cast<std::int64_t>(n);
  current.block.words = words;
  current.block.drawn_at = law.per_word();
}

void check_tracked(rounded_contribution const& c) noexcept {
  if (current.block.n_samples == 0) return;
  const double bytes =
      static_cast<double>(c.weight) + static_cast<double>(c.fraction) / (1 << fraction_bits);
  const double samples = bytes * current.block.drawn_at / 8.0;
  settle(samples, samples);
}

void forgo_block() noexcept {
  if (current.block.n_samples == 0) return;
  const double p = current.block.drawn_at;
  const double mean = contribution_of(current.block.words, p).weight * p / 8.0;
  settle(mean, mean);
}

void close_block() noexcept {
  if (current.block.n_samples == 0) [[likely]]
    return;
  settle(static_cast<double>(current.block.n_samples), 0.0);
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
