// SPDX-License-Identifier: MIT
#include "limits/inject_interrupt.hpp"

#include "limits/global_limit.hpp"
#include "limits/reasons.hpp"
#include "limits/scope.hpp"
#include "limits/stops.hpp"

namespace memprof::inline v0::detail {
namespace {

/// Fills in the report of a scope that was injected: the first of its limits, and the count.
void describe_hit(scope& s) noexcept {
  scope_request const& r = s.request;
  const bool other = r.memory || r.global_memory || r.stop.is_set != nullptr ||
                     r.cancel_if != nullptr || s.clock.deadline != never;
  if (r.allocations || !other) {
    s.hit.describe(limit_kind::allocations, s.counted.allocations_limit,
                   own_amount(s, limit_kind::allocations));
  } else if (r.memory) {
    s.hit.describe(limit_kind::memory, s.counted.memory_limit, own_amount(s, limit_kind::memory));
  } else if (r.global_memory) {
    const global_state state = look_at_global(0);
    s.hit.describe(limit_kind::global_memory, state.limit, state.measured);
  } else if (r.stop.is_set != nullptr) {
    report_token(s);
  } else if (s.clock.deadline != never) {
    report_deadline(s);
  } else {
    report_predicate(s);
  }
}

}  // namespace

void inject_interrupt(scope& s) noexcept {
  const engine::event settle;
  if (!s.pending()) describe_hit(s);
  s.hit.inject();
  take_reasons();
  s.attempts.inject();
  this_thread_limits.misses = 0;
  refresh_chain();
  set_wakeup();
}

bool inject_interrupt() noexcept {
  if (this_thread_limits.innermost == nullptr) return false;
  inject_interrupt(*this_thread_limits.innermost);
  return true;
}

bool any_undelivered() noexcept {
  for (scope const* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (s->attempts.injected || (s->pending() && s->attempts.deliveries == 0)) return true;
  }
  return false;
}

}  // namespace memprof::inline v0::detail
