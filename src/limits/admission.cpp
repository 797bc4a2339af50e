// SPDX-License-Identifier: MIT
#include "limits/admission.hpp"

#include <algorithm>
#include <exception>

#include "memprof/limits.hpp"

#include "delivery/delivery.hpp"
#include "limits/check.hpp"
#include "limits/limit_totals.hpp"
#include "limits/scope.hpp"
#include "limits/suspension.hpp"

namespace memprof {

void cancellation_point() {
  using namespace detail;
  if (mine.innermost == nullptr) return;
  const engine::event e{0};
  // A task that swallowed the interrupt and allocates nothing must not be free for ever: each call
  // uses up some of its grace.
  constexpr std::int64_t words_per_call = 64;
  for (scope* s = mine.innermost; s != nullptr; s = s->outer) {
    if (s->pending() && s->next_attempt > at_once) s->next_attempt -= words_per_call;
  }
  // Whatever must be looked at is looked at here, not only at the next poll.
  admit(e, admission_point::delivery);
}

bool is_interrupted() noexcept { return detail::any_pending(); }

namespace detail {
namespace {

constexpr std::int64_t shortest_backoff = 16;  // words, doubled at each refusal
constexpr int longest_backoff_doublings = 9;   // up to 8192 words

bool is_due(scope const& s, std::int64_t position) noexcept {
  return s.pending() && position > s.next_attempt;
}

void defer(std::int64_t position, char const* reason) noexcept {
  for (scope* s = mine.innermost; s != mine.barrier; s = s->outer) {
    if (!is_due(*s, position)) continue;
    ++s->deferrals;
    s->last_deferral = reason;
    s->refused = true;
    s->next_attempt =
        position + (shortest_backoff << std::min(s->backoff++, longest_backoff_doublings));
  }
  limit_totals.deferrals.fetch_add(1, std::memory_order_relaxed);
}

/// The interrupt is being raised: every limit that asks for one has now been hit.
void record_delivery(std::int64_t position) noexcept {
  for (scope* s = mine.innermost; s != mine.barrier; s = s->outer) {
    if (!s->pending()) continue;
    s->hit = true;
    ++s->deliveries;
    s->refused = false;
    s->backoff = 0;
    s->next_attempt = position + s->request.grace.count();
  }
  refresh_chain();
}

/// Raises the interrupt if one is due and may be raised here.
void deliver(engine::event const& e, admission_point point) {
  const std::int64_t position = e.after();
  scope* target = nullptr;
  bool due = false;
  for (scope* s = mine.innermost; s != mine.barrier; s = s->outer) {
    if (target == nullptr && s->pending()) target = s;
    due |= is_due(*s, position);
  }
  if (!due) return;
  if (point == admission_point::silent) {
    ++mine.misses;
    return;
  }
  mine.misses = 0;
  const delivery::decision decision =
      delivery::decide({target, target->uncaught_at_entry, mine.mask_depth > 0});
  if (!decision.deliver()) {
    defer(position, decision.reason);
    return;
  }
  record_delivery(position);
  const auto kind = static_cast<std::size_t>(target->kind);
  limit_totals.interrupts[kind].fetch_add(1, std::memory_order_relaxed);
  set_wakeup();
  // The event still holds the countdown, so the exception object's memory is neither counted nor
  // sampled; the event ends when unwinding leaves our frames, before any of the task's.
  throw limit_exceeded(target->kind);
}

}  // namespace

// Apart from `admit`, and not inlined: between the two a task may have been paused and resumed on
// another thread, whose thread-local data must be addressed anew.
[[gnu::noinline]] void finish_admission(engine::event const& e, admission_point point) {
  if (mine.innermost->chain_pending) deliver(e, point);
  if (mine.running != nullptr) cancel_again_soon();
  set_wakeup();
}

void admit(engine::event const& e, admission_point point) {
  if (mine.innermost == nullptr) return;
  const bool may_call_out = point == admission_point::delivery && mine.mask_depth == 0 &&
                            std::uncaught_exceptions() <= mine.innermost->uncaught_at_entry;
  check(e, may_call_out);
  if (mine.running != nullptr) pause_if_due(e, point);
  finish_admission(e, point);
}

}  // namespace detail
}  // namespace memprof
