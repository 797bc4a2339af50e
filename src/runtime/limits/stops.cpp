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
  s.deadline = never;
  if (r.time && r.time->count() < never - s.start_time) {
    s.deadline = s.start_time + r.time->count();
  }
  if (r.deadline) {
    const auto at =
        std::chrono::duration_cast<std::chrono::nanoseconds>(r.deadline->time_since_epoch());
    s.deadline = std::min<std::int64_t>(s.deadline, at.count());
  }
  if (s.deadline == never) {
    s.time_limit = never;
  } else {
    s.time_limit = s.deadline > s.start_time ? s.deadline - s.start_time : 0;
  }
}

void start_clock(scope& s) noexcept {
  if (!s.request.time && !s.request.deadline) return;
  s.start_time = base::steady_nanoseconds();
  set_deadline(s);
}

bool token_is_set(scope const& s) noexcept {
  stop_source const& stop = s.request.stop;
  return stop.is_set != nullptr && stop.is_set(stop.object);
}

bool deadline_has_passed(scope const& s) noexcept {
  return s.deadline != never && base::steady_nanoseconds() >= s.deadline;
}

void report_token(scope& s) noexcept {
  stop_source const& stop = s.request.stop;
  s.kind = limit_kind::token;
  s.reason = stop.reason != nullptr ? stop.reason(stop.object) : nullptr;
}

void report_deadline(scope& s) noexcept {
  s.kind = limit_kind::deadline;
  s.hit_limit = s.time_limit;
  s.hit_measured = base::steady_nanoseconds() - s.start_time;
}

void report_predicate(scope& s) noexcept {
  s.kind = limit_kind::token;
  s.reason = "cancel_if";
}

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
