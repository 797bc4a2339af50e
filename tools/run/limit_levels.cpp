// SPDX-License-Identifier: MIT
#include "tools/run/limit_levels.hpp"

#include <algorithm>

#include "memprof/confidence.hpp"

namespace memprof::tools {
namespace {

constexpr double again_below = 0.9;
constexpr double again_after_growth = 1.5;

}  // namespace

limit_level limit_levels::look(recorder::live_amount const& now) {
  ++looks_;
  if (now.bytes < again_below * hard_) next_hard_ = hard_;
  if (now.bytes < again_below * soft_) soft_passed_ = false;
  if (surely_over(now, next_hard_)) {
    pass_hard(now);
    return limit_level::hard;
  }
  if (!soft_passed_ && surely_over(now, soft_)) {
    soft_passed_ = true;
    return limit_level::soft;
  }
  return limit_level::none;
}

void limit_levels::pass_hard(recorder::live_amount const& now) {
  next_hard_ = again_after_growth * std::max(now.bytes, hard_);
  soft_passed_ = true;
}

bool limit_levels::surely_over(recorder::live_amount const& now, double limit) const {
  using namespace detail::statistics;
  const double spent = risk_ * share_of_look(static_cast<double>(looks_));
  return live_lower_is_over(limit, now.bytes, now.variance, spent);
}

}  // namespace memprof::tools
