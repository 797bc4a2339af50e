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
                     r.cancel_if != nullptr || s.deadline != never;
  if (r.allocations || !other) {
    s.kind = limit_kind::allocations;
    s.hit_limit = s.allocations_limit;
    s.hit_measured =
        s.exact() ? (engine::current.position - s.start_position) * 8
                  : static_cast<std::int64_t>((this_thread_limits.charged - s.start_charged) * 8.0);
  } else if (r.memory) {
    s.kind = limit_kind::memory;
    s.hit_limit = s.memory_limit;
    s.hit_measured = s.account->live.whole_bytes();
  } else if (r.global_memory) {
    const global_state state = look_at_global(0);
    s.kind = limit_kind::global_memory;
    s.hit_limit = state.limit;
    s.hit_measured = state.measured;
  } else if (r.stop.is_set != nullptr) {
    report_token(s);
  } else if (s.deadline != never) {
    report_deadline(s);
  } else {
    report_predicate(s);
  }
}

}  // namespace

void inject_interrupt(scope& s) noexcept {
  const engine::event settle;
  if (!s.pending()) {
    describe_hit(s);
    s.hit_position = engine::current.position;
  }
  s.hit = true;
  take_reasons();
  s.injected = true;
  s.next_attempt = at_once;
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
    if (s->injected || (s->pending() && s->deliveries == 0)) return true;
  }
  return false;
}

}  // namespace memprof::inline v0::detail
