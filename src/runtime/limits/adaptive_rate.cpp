// SPDX-License-Identifier: MIT
#include "limits/adaptive_rate.hpp"

#include <algorithm>
#include <cmath>

#include "limits/scope.hpp"

namespace memprof::inline v0::detail {

double rate_near_limit(double coarse, double finest, double used) noexcept {
  constexpr double begins = 0.5;
  if (!(used > begins) || !(finest > coarse)) return coarse;
  const double doublings = std::floor(std::log2(finest / coarse));
  const double step = std::floor((used - begins) / (1.0 - begins) * (doublings + 1.0));
  return step > doublings ? finest : coarse * std::exp2(step);
}

void adjust_rate(std::int64_t coming) noexcept {
  scope const* s = this_thread_limits.innermost;
  if (s == nullptr ||
      (!s->chain.adapts_rate && engine::current.demand == this_thread_limits.per_word))
    return;
  double rate = this_thread_limits.per_word;
  for (; s != nullptr; s = s->outer) {
    if (s->counted.memory_limit == unlimited || s->request.finest_rate <= rate) continue;
    const std::int64_t live = live_account_of(*s).live.whole_bytes() + coming;
    const double used = static_cast<double>(live) / std::max(1.0, double(s->counted.memory_limit));
    rate =
        std::max(rate, rate_near_limit(this_thread_limits.per_word, s->request.finest_rate, used));
  }
  if (rate != engine::current.demand) engine::set_demand_after_event(rate);
}

}  // namespace memprof::inline v0::detail
