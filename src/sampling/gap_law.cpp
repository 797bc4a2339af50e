// SPDX-License-Identifier: MIT
#include "sampling/gap_law.hpp"

#include <cmath>
#include <cstdint>

namespace memprof::sampling {

gap_law::gap_law(double per_word) noexcept {
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
std::int64_t gap_law::draw(random_state& random) const noexcept {
  if (per_word_ >= 1) return 1;
  if (!(per_word_ > 0)) return never;
  double const passed = exponential(random) / hazard_;
  if (!(passed < static_cast<double>(never))) return never;
  return 1 + static_cast<std::int64_t>(passed);
}

}  // namespace memprof::sampling
