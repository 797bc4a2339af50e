// SPDX-License-Identifier: MIT
#include "limits/confidence_check.hpp"

#include <algorithm>
#include <cmath>

#include "memprof/bounds.hpp"
#include "memprof/detail/confidence_functions.hpp"

namespace memprof::inline v0::detail {
namespace {

/// 0: the estimate itself is compared.
double risk_of(scope const& s) noexcept {
  return s.request.false_interrupt_probability.value_or(0.0);
}

}  // namespace

double possible_amount(scope const& s, engine::sampled_amount const& amount,
                       std::int64_t threshold) noexcept {
  const double risk = risk_of(s);
  if (risk <= 0.0) return amount.value;
  // Twice what Bernstein's inequality gives for sums of weights up to `unit`.
  const double squared = -2.0 * std::log(risk);
  const double most =
      amount.value + 2.0 * (std::sqrt(squared * amount.variance) + squared * amount.unit);
  return most < static_cast<double>(threshold) ? amount.value : amount.upper(risk);
}

bool is_surely_beyond(scope const& s, std::int64_t limit, double words) noexcept {
  const double risk = risk_of(s);
  if (risk <= 0.0) return true;
  constexpr double most = 9e18;
  const double samples =
      std::clamp(std::floor(words / this_thread_limits.interval + 0.5), 1.0, most);
  const std::int64_t limit_words = limit / 8 + (limit % 8 != 0);
  if (samples > static_cast<double>(limit_words)) return true;
  const auto tails = statistics::tails(static_cast<std::int64_t>(samples), limit_words,
                                       this_thread_limits.per_word);
  return statistics::risk_level{risk}.is_above(tails, !tails.upper_is_small);
}

bool is_surely_over(scope const& s, std::int64_t limit, engine::sampled_amount const& before,
                    std::int64_t coming, std::uint64_t look) noexcept {
  const double risk = risk_of(s);
  if (risk <= 0.0 || limit == 0) return true;
  constexpr double least = 1e-300;
  const double share = risk * statistics::share_of_look(static_cast<double>(look));
  return before.is_over(static_cast<double>(limit - coming), std::max(share, least));
}

}  // namespace memprof::inline v0::detail
