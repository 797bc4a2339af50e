// SPDX-License-Identifier: MIT
#include "limits/stops.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/base.hpp"
#include "limits/scope.hpp"

namespace memprof::inline v0::detail {

void set_deadline(scope& s) noexcept {
  scope_request const& r = s.request;
  s.clock.deadline = never;
  if (r.time && r.time->count() < never - s.clock.start) {
    s.clock.deadline = s.clock.start + r.time->count();
  }
  if (r.deadline) {
    const auto at =
        std::chrono::duration_cast<std::chrono::nanoseconds>(r.deadline->time_since_epoch());
    s.clock.deadline = std::min<std::int64_t>(s.clock.deadline, at.count());
  }
  if (s.clock.deadline == never) {
    s.clock.limit = never;
  } else {
    s.clock.limit = s.clock.deadline > s.clock.start ? s.clock.deadline - s.clock.start : 0;
  }
}

void start_clock(scope& s) noexcept {
  if (!s.request.time && !s.request.deadline) return;
  s.clock.start = base::steady_nanoseconds();
  set_deadline(s);
}

bool token_is_set(scope const& s) noexcept {
  stop_source const& stop = s.request.stop;
  return stop.is_set != nullptr && stop.is_set(stop.object);
}

bool deadline_has_passed(scope const& s) noexcept {
  return s.clock.deadline != never && base::steady_nanoseconds() >= s.clock.deadline;
}

void report_token(scope& s) noexcept {
  stop_source const& stop = s.request.stop;
  s.hit.describe(limit_kind::token, stop.reason != nullptr ? stop.reason(stop.object) : nullptr);
}

void report_deadline(scope& s) noexcept {
  s.hit.describe(limit_kind::deadline, s.clock.limit, base::steady_nanoseconds() - s.clock.start);
}

void report_predicate(scope& s) noexcept { s.hit.describe(limit_kind::token, "cancel_if"); }

bool is_stopped(scope& s, bool may_call_out) noexcept {
  if (token_is_set(s)) {
    report_token(s);
  } else if (deadline_has_passed(s)) {
    report_deadline(s);
  } else if (s.request.cancel_if != nullptr && may_call_out && (*s.request.cancel_if)()) {
    report_predicate(s);
  } else {
    return false;
  }
  return true;
}

}  // namespace memprof::inline v0::detail
