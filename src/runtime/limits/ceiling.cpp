// SPDX-License-Identifier: MIT
#include "limits/ceiling.hpp"

#include <cstdlib>

#include "memprof/ceiling.hpp"

#include "base/base.hpp"
#include "limits/scope.hpp"
#include "limits/soft_limits.hpp"

namespace memprof::inline v0::detail {
namespace {

[[noreturn]] void abort_at_ceiling(overrun const& o) noexcept {
  base::raw_message(
      "a task was not stopped at its limit and reached its ceiling: aborting. The limit:");
  base::raw_message(to_string(o.kind).data());
  base::raw_message("why it was not stopped:");
  base::raw_message(o.last_deferral != nullptr ? o.last_deferral : "it swallowed the interrupt");
  std::abort();
}

}  // namespace

std::int64_t ceiling_position(scope const& s) noexcept {
  if (s.request.ceiling == nullptr || !s.pending() || s.ceiling_done) return never;
  const std::int64_t beyond = s.request.ceiling->beyond.count() / 8;
  return s.hit.position >= never - beyond ? never : s.hit.position + beyond;
}

void check_ceilings(std::int64_t position, bool may_call_out) noexcept {
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (position <= ceiling_position(*s)) continue;
    ceiling const& c = *s->request.ceiling;
    const overrun o{.kind = s->hit.kind,
                    .beyond = bytes{(position - s->hit.position) * 8},
                    .deliveries = s->attempts.deliveries,
                    .deferrals = s->attempts.deferrals,
                    .last_deferral = s->attempts.last_deferral};
    if (c.action == ceiling_action::abort) abort_at_ceiling(o);
    if (!may_call_out) continue;
    s->ceiling_done = true;
    try {
      c.callback(o);
    } catch (...) {
      count_callback_failure();
    }
  }
}

}  // namespace memprof::inline v0::detail
