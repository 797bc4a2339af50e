// SPDX-License-Identifier: MIT
#include "sampling/geometric_distribution.hpp"

#include <cmath>
#include <cstdint>

#include "sampling/ziggurat.hpp"

namespace memprof::sampling {

geometric_distribution::geometric_distribution(double per_word) noexcept {
  if (!(per_word > 0)) return;
  per_word_ = per_word < 1 ? per_word : 1;
  if (per_word_ < 1) hazard_ = -std::log1p(-per_word_);
}

// With E exponential and h = -log(1-p),
//     P(1 + floor(E / h) > n) = P(E >= n h) = exp(-n h) = (1-p)^n     for n = 0, 1, 2, ...
// log1p keeps h accurate for small p, where log(1 - p) would lose p's last digits (all of them
// below 1e-16). The conversion to an integer truncates, which is floor for positive numbers.
// The largest double under 2^62 is 2^62 - 512, so adding 1 cannot pass `never`; a quotient that
// overflows to infinity is `never`, too.
std::int64_t geometric_distribution::after(double exponential) const noexcept {
  double const passed = exponential / hazard_;
  if (!(passed < static_cast<double>(never))) return never;
  return 1 + static_cast<std::int64_t>(passed);
}

std::int64_t geometric_distribution::draw(random_state& random) const noexcept {
  if (per_word_ >= 1) return 1;
  if (!(per_word_ > 0)) return never;
  return after(ziggurat_exponential(random));
}

// G > most is E / h >= most. The margin is more than what rounding can make of the product and the
// quotient, so `draw` would have said the same.
std::int64_t geometric_distribution::draw_within(random_state& random,
                                                 std::int64_t most) const noexcept {
  constexpr double margin = 1 + 0x1p-48;
  if (per_word_ >= 1) return most >= 1 ? 1 : never;
  if (!(per_word_ > 0)) return never;
  double const e = ziggurat_exponential(random);
  if (e > static_cast<double>(most) * hazard_ * margin) return never;
  std::int64_t const gap = after(e);
  return gap <= most ? gap : never;
}

double geometric_distribution::probability_of_none(std::int64_t words) const noexcept {
  return std::exp(-(static_cast<double>(words) * hazard_));
}

// 1 - exp(-x) = x - x^2/2! + x^3/3! - ... The first term left out is x^9/9!, under 2^-58 x.
// (Evaluated in pairs, which do not wait for each other.)
double geometric_distribution::probability_of_any(std::int64_t words) const noexcept {
  double const x = static_cast<double>(words) * hazard_;
  if (x > 1. / 32) return 1 - probability_of_none(words);
  double const x2 = x * x;
  double const low = 1 - x * (1. / 2) + x2 * (1. / 6 - x * (1. / 24));
  double const high = 1. / 120 - x * (1. / 720) + x2 * (1. / 5040 - x * (1. / 40320));
  return x * (low + x2 * x2 * high);
}

}  // namespace memprof::sampling
