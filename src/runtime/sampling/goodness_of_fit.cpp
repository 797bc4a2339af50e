// SPDX-License-Identifier: MIT
#include "sampling/goodness_of_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>

namespace memprof::sampling {
namespace {

constexpr std::size_t most_cells = 16;

// So that no sum of squares overflows; its p-value is 0 all the same.
constexpr double largest_root = 1e145;

// x log(x / mean) - (x - mean), with x = (1+d) mean; see binomial.cpp. Infinite for x < 0.
double deviance_of(double difference, double mean) noexcept {
  const double d = difference / mean;
  if (d < -1) return std::numeric_limits<double>::infinity();
  if (d == -1) return mean;
  return mean * ((1 + d) * std::log1p(d) - d);
}

// Both tails are cut to 0 before they become subnormal, where the functions set errno.
constexpr double most_root = 37.4;        // P = 4e-306
constexpr double most_chi_square = 1400;  // exp(-700) = 1e-304

double two_sided(double root) noexcept {
  return std::abs(root) > most_root ? 0 : std::erfc(std::abs(root) / std::numbers::sqrt2);
}

double standardised(tally const& t) noexcept {
  const double deviation = std::sqrt(t.variance());
  return (static_cast<double>(t.samples) - t.expected) / deviation;
}

/// The cells left when small ones are pooled with those that follow them.
class pooled_cells {
 public:
  explicit pooled_cells(std::span<tally const> tallies) noexcept {
    tally pool;
    for (tally const& t : tallies) {
      pool += t;
      if (pool.variance() < least_cell_variance || size_ == most_cells) continue;
      cells_[size_++] = pool;
      pool = {};
    }
    if (size_ > 0) cells_[size_ - 1] += pool;
  }
  [[nodiscard]] std::span<tally const> get() const noexcept { return {cells_.data(), size_}; }

 private:
  std::array<tally, most_cells> cells_{};
  std::size_t size_ = 0;
};

// The part of the cells' roots, as a vector, that is orthogonal to the direction in which a wrong
// rate would move them. With m cells it has m - 1 dimensions.
double shape_p(std::span<tally const> cells, double variance) noexcept {
  if (cells.size() < 2) return 1;
  double along = 0;
  for (tally const& t : cells) along += std::sqrt(t.variance() / variance) * detail::signed_root(t);
  double across = 0;
  for (tally const& t : cells) {
    const double rest = detail::signed_root(t) - std::sqrt(t.variance() / variance) * along;
    across += rest * rest;
  }
  return detail::chi_square_tail(static_cast<int>(cells.size()) - 1, across);
}

}  // namespace

double detail::signed_root(tally const& t) noexcept {
  if (!(t.variance() > 0)) return 0;
  const double difference = static_cast<double>(t.samples) - t.expected;
  // The binomial law of the same mean and variance: N = expected^2 / squares words at one rate.
  const double others = t.expected * (t.variance() / t.squares);  // N - expected
  double half = deviance_of(difference, t.expected);
  if (std::isfinite(others)) half += deviance_of(-difference, others);
  const double root = std::min(std::sqrt(std::max(2 * half, 0.)), largest_root);
  return difference < 0 ? -root : root;
}

//     even m:  exp(-x/2) sum_{i < m/2} (x/2)^i / i!
//     odd m:   erfc(sqrt(x/2)) + exp(-x/2) sqrt(2x/pi) sum_{i < (m-1)/2} x^i / (1 3 5 ... (2i+1))
double detail::chi_square_tail(int freedom, double x) noexcept {
  if (!(x > 0)) return 1;
  if (x > most_chi_square) return 0;
  const bool odd = freedom % 2 != 0;
  double term = odd ? std::sqrt(2 * x / std::numbers::pi) : 1;
  double sum = 0;
  for (int i = odd ? 3 : 2; i <= freedom; i += 2) {
    sum += term;
    term *= x / i;
  }
  const double tail = std::exp(-x / 2) * sum;
  return std::min(1., odd ? std::erfc(std::sqrt(x / 2)) + tail : tail);
}

test_result goodness_of_fit(std::span<tally const> tallies) noexcept {
  tally all;
  for (tally const& t : tallies) all += t;
  test_result v{.samples = all.samples, .expected = all.expected};
  if (!(all.variance() > 0)) return v;
  v.z = standardised(all);
  if (all.variance() < least_variance) return v;
  const pooled_cells cells(tallies);
  v.count_p = two_sided(detail::signed_root(all));
  v.shape_p = shape_p(cells.get(), all.variance());
  if (cells.get().size() < 2) {
    v.p = v.count_p;
  } else {
    // The smaller of two independent uniform numbers is below x with probability 1 - (1-x)^2.
    const double least = std::min(v.count_p, v.shape_p);
    v.p = least * (2 - least);
  }
  return v;
}

}  // namespace memprof::sampling
