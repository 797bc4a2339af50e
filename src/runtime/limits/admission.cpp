// SPDX-License-Identifier: MIT
#include "limits/admission.hpp"

#include <algorithm>
#include <atomic>
#include <exception>

#include "memprof/delivery.hpp"
#include "memprof/detail/delivery_schedule.hpp"
#include "memprof/limits.hpp"

#include "delivery/delivery.hpp"
#include "limits/ceiling.hpp"
#include "limits/check.hpp"
#include "limits/limit_totals.hpp"
#include "limits/preload_library.hpp"
#include "limits/probe.hpp"
#include "limits/scope.hpp"
#include "limits/suspension.hpp"

namespace memprof::inline v0 {
namespace {
constinit std::atomic<void (*)(deferral const&) noexcept> deferral_observer{nullptr};
}

void cancellation_point() {
  using namespace detail;
  if (this_thread_limits.innermost == nullptr) return;
  if (engine::current.muted > 0) return;  // in a callback no interrupt may be raised
  const engine::event e{0};
  // A task that swallowed the interrupt and allocates nothing must not go on for ever: each call
  // uses up some of its grace.
  constexpr std::int64_t words_per_call = 64;
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (s->pending() && s->next_attempt > at_once) s->next_attempt -= words_per_call;
  }
  // Checks everything now, not only at the next poll.
  admit(e, admission_point::delivery);
}

void set_deferral_observer(void (*observer)(deferral const&) noexcept) noexcept {
  deferral_observer.store(observer, std::memory_order_release);
}

bool is_interrupted() noexcept { return detail::any_pending(); }

namespace detail {
namespace {

/// How many refusals a task gets because of the standard library's own handlers. (A stream that
/// swallows an exception may make its reader wait for ever.) Afterwards the interrupt is raised all
/// the same, so that a task that only reads a stream ends some time.
constexpr int library_patience = 64;

/// Words until the next attempt: more after each refusal, and more if more frames were walked.
std::int64_t next_backoff(scope& s, std::uint32_t frames) noexcept {
  return backoff_words(std::min(s.backoff++, longest_backoff_doublings), frames);
}

void defer(scope& target, std::int64_t position, delivery::decision const& decision) noexcept {
  for (scope* s = this_thread_limits.innermost; s != this_thread_limits.barrier; s = s->outer) {
    if (!s->is_due(position)) continue;
    ++s->deferrals;
    s->last_deferral = decision.reason;
    s->last_place = decision.place;
    s->library_refusals += decision.library_handler ? 1 : 0;
    s->refused = true;
    s->next_attempt = position + next_backoff(*s, decision.frames);
  }
  limit_totals.deferrals.fetch_add(1, std::memory_order_relaxed);
  if (auto* const observer = deferral_observer.load(std::memory_order_acquire)) {
    observer({target.kind, decision.reason, reinterpret_cast<void const*>(decision.place),
              target.deferrals});
  }
}

/// The interrupt is being raised: all limits that have one pending are now hit.
void record_delivery(std::int64_t position) noexcept {
  for (scope* s = this_thread_limits.innermost; s != this_thread_limits.barrier; s = s->outer) {
    if (!s->pending()) continue;
    s->hit = true;
    ++s->deliveries;
    s->injected = false;
    s->refused = false;
    s->backoff = 0;
    s->next_attempt = position + s->request.grace.count();
  }
  refresh_chain();
}

delivery::attempt attempt_for(scope const& target, void const* origin) noexcept {
  const bool into = target.request.handlers == handler_policy::deliver;
  return {.boundary = target.boundary,
          .origin = origin,
          .uncaught_at_entry = target.uncaught_at_entry,
          .masked = this_thread_limits.mask_depth > 0,
          .into_handlers = into,
          .into_library_handlers = into && target.library_refusals >= library_patience};
}

/// Raises the interrupt if one is due and may be raised here. Not inlined: the pre-flight begins
/// with the frame of this function's caller.
[[gnu::noinline]] void deliver(engine::event const& e, admission_point point) {
  const std::int64_t position = e.after();
  scope* target = nullptr;
  bool due = false;
  for (scope* s = this_thread_limits.innermost; s != this_thread_limits.barrier; s = s->outer) {
    if (target == nullptr && s->pending()) target = s;
    due |= s->is_due(position);
  }
  if (!due) return;
  if (point == admission_point::silent) {
    ++this_thread_limits.misses;
    return;
  }
  this_thread_limits.misses = 0;
  const delivery::decision decision =
      delivery::decide(attempt_for(*target, __builtin_frame_address(0)));
  if (!decision.deliver()) {
    if (this_thread_limits.probe != nullptr) probe_deferral(e, decision.reason, decision.place);
    return defer(*target, position, decision);
  }
  if (this_thread_limits.probe != nullptr) probe_delivery(e);
  record_delivery(position);
  const auto kind = static_cast<std::size_t>(target->kind);
  limit_totals.interrupts[kind].fetch_add(1, std::memory_order_relaxed);
  set_wakeup();
  const engine::raised_interrupt raised{.kind = static_cast<std::uint8_t>(target->kind),
                                        .allowed = target->hit_limit,
                                        .measured = target->hit_measured,
                                        .deferrals = target->deferrals,
                                        .frame = __builtin_frame_address(0)};
  engine::notify_interrupted(raised);
  notify_preload_library(raised);
  // The event still mutes the thread, so the exception object's memory is neither counted nor
  // sampled. Unwinding ends the event with our frames, before it reaches the task's.
  throw limit_exceeded(target->kind);
}

/// May callbacks of the program run at this point?
bool may_call_out(admission_point point) noexcept {
  return point == admission_point::delivery && this_thread_limits.mask_depth == 0 &&
         std::uncaught_exceptions() <= this_thread_limits.innermost->uncaught_at_entry;
}

}  // namespace

// A function of its own, and not inlined into `admit`: before it a task may have been paused and
// resumed on another thread, whose thread-local data must be addressed anew.
[[gnu::noinline]] void finish_admission(engine::event const& e, admission_point point) {
  if (this_thread_limits.probe != nullptr) probe_event(e, point);
  if (this_thread_limits.innermost->chain_pending) {
    check_ceilings(e.after(), may_call_out(point));
    deliver(e, point);
  }
  if (this_thread_limits.running != nullptr) cancel_again_soon();
  set_wakeup();
}

void admit(engine::event const& e, admission_point point) {
  if (this_thread_limits.innermost == nullptr) return;
  check(e, may_call_out(point));
  if (this_thread_limits.running != nullptr) pause_if_due(e, point);
  finish_admission(e, point);
}

}  // namespace detail
}  // namespace memprof::inline v0
