// SPDX-License-Identifier: MIT
#include "limits/admission.hpp"

#include <algorithm>
#include <atomic>
#include <exception>

#include "memprof/delivery.hpp"
#include "memprof/limits.hpp"

#include "base/base.hpp"
#include "copies/copies.hpp"
#include "delivery/delivery.hpp"
#include "limits/abandoned_scopes.hpp"
#include "limits/ceiling.hpp"
#include "limits/check.hpp"
#include "limits/limit_totals.hpp"
#include "limits/preload_library.hpp"
#include "limits/probe.hpp"
#include "limits/scope.hpp"
#include "limits/soft_limits.hpp"
#include "limits/suspension.hpp"

namespace memprof::inline v0 {
namespace {
constinit std::atomic<void (*)(deferral const&) noexcept> deferral_observer{nullptr};
}

void cancellation_point() {
  if (auto const* const other = copies::other()) return other->cancellation_point();
  using namespace detail;
  if (engine::current.muted > 0) return;  // in a callback no interrupt may be raised
  drop_abandoned_scopes(__builtin_frame_address(0));
  if (this_thread_limits.innermost == nullptr) return;
  const engine::event e;
  // A task that swallowed the interrupt and allocates nothing must not go on for ever: each call
  // uses up some of its grace.
  constexpr std::int64_t words_per_call = 64;
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (s->pending()) s->attempts.shift(-words_per_call);
  }
  // Checks everything now, not only at the next poll.
  admission(e, admission_point::delivery, __builtin_frame_address(0)).grant();
}

void set_deferral_observer(void (*observer)(deferral const&) noexcept) noexcept {
  if (auto const* const other = copies::other()) return other->set_deferral_observer(observer);
  deferral_observer.store(observer, std::memory_order_release);
}

bool is_interrupted() noexcept {
  if (auto const* const other = copies::other()) return other->is_interrupted();
  detail::drop_abandoned_scopes(__builtin_frame_address(0));
  return detail::any_pending();
}

namespace detail {
namespace {

/// How many refusals a task gets because of the standard library's own handlers. (An interrupt
/// leaves the stream or promise broken. A stream of libc++ swallows it, and its reader may wait for
/// ever.) Afterwards the interrupt is raised all the same, so that a task that only reads a stream
/// ends some time.
constexpr int library_patience = 64;

/// The refusals end earlier when the task has taken this many bytes since its limit was hit,
/// because a buffer that doubles does not ask 64 times. As much again as the limit allowed; where
/// it allowed this task no amount (a token, a deadline, the process's memory), as much as the task
/// had taken.
std::int64_t allowed_overshoot(scope const& s) noexcept {
  constexpr std::int64_t least = 1 << 20;
  if (s.hit.kind == limit_kind::allocations || s.hit.kind == limit_kind::memory) return s.hit.limit;
  return std::max(least, (s.hit.position - s.hit.request - s.counted.start_position) * 8);
}

/// The bytes that the task will have taken on this thread from the allocation that hit its limit to
/// the one at `position`, including both.
std::int64_t overshoot_at(scope const& s, std::int64_t position) noexcept {
  return (position - s.hit.position + s.hit.request) * 8;
}

void defer(scope& target, std::int64_t position, delivery::decision const& decision) noexcept {
  for (scope* s = this_thread_limits.innermost; s != this_thread_limits.barrier; s = s->outer) {
    if (!s->is_due(position)) continue;
    s->attempts.defer(position, decision);
    note_overdue(*s, position);
  }
  count_deferral(decision.reason);
  if (auto* const observer = deferral_observer.load(std::memory_order_acquire)) {
    observer({target.hit.kind, decision.reason, reinterpret_cast<void const*>(decision.place),
              target.attempts.deferrals});
  }
}

/// The bytes that the limit which was hit has left for the task, without the request of the event.
std::int64_t left_of(scope const& s, engine::event const& e) noexcept {
  const limit_kind kind = s.hit.found.any ? s.hit.found.kind : s.hit.kind;
  const std::int64_t limit = s.hit.found.any ? s.hit.found.limit : s.hit.limit;
  if (kind == limit_kind::memory) return limit - live_account_of(s).live.whole_bytes();
  if (kind != limit_kind::allocations || s.request.shared != nullptr) return 0;
  return limit - (e.before() - s.counted.start_position) * 8;
}

/// Whether the policy refuses the request of the event to this task.
bool refuses(scope const& s, engine::event const& e, malloc_policy policy) noexcept {
  const bool finds = s.hit.found.any && e.words() > 0 && s.request.pausable == nullptr;
  if ((!s.may_refuse_malloc() && !finds) || policy == malloc_policy::serve) return false;
  if (policy == malloc_policy::refuse_with_grace) return !s.attempts.serves_malloc(e.after());
  return policy == malloc_policy::refuse || e.words() * 8 > left_of(s, e);
}

/// The first scope, from `s` outwards, that refuses the request to this caller, or null.
scope* next_refusing(scope* s, engine::event const& e, std::uintptr_t caller) noexcept {
  while (s != nullptr &&
         !refuses(*s, e, delivery::malloc_policy_of_caller(caller, s->request.malloc_after_hit))) {
    s = s->outer;
  }
  return s;
}

/// Asks the predicates of scopes that would refuse, in a task that comes to no delivery point. Not
/// for the C library's own requests: it may hold a lock that the predicate needs (that of the time
/// zone, of a stream).
void ask_predicates(engine::event const& e, std::uintptr_t caller) noexcept {
  if (delivery::in_c_library(caller)) return;
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    const malloc_policy policy =
        delivery::malloc_policy_of_caller(caller, s->request.malloc_after_hit);
    if (policy != malloc_policy::serve) stop_by_predicate(e, *s);
  }
}

/// The interrupt is being raised: all limits that have one pending are now hit.
void record_delivery(engine::event const& e) noexcept {
  const std::int64_t position = e.after();
  for (scope* s = this_thread_limits.innermost; s != this_thread_limits.barrier; s = s->outer) {
    if (!s->pending()) continue;
    s->hit.confirm();
    s->attempts.deliver(position, s->request.grace);
    note_overdue(*s, position);
    if (shared_account* const shared = s->request.shared) {
      shared->deliveries.fetch_add(1, std::memory_order_relaxed);
    }
  }
  if (this_thread_limits.running != nullptr) count_swallowed();
}

delivery::attempt attempt_for(scope const& target, std::int64_t position,
                              void const* origin) noexcept {
  return {.boundary = target.boundary,
          .origin = origin,
          .caller = target.caller,
          .uncaught_at_entry = target.uncaught_at_entry,
          .masked = this_thread_limits.mask_depth > 0,
          .into_handlers = target.request.handlers == handler_policy::deliver,
          .through_library_handlers = target.attempts.library_refusals >= library_patience ||
                                      overshoot_at(target, position) > allowed_overshoot(target)};
}

/// Raises the interrupt if one is due and may be raised here. Not inlined: the pre-flight begins
/// with the frame of this function's caller.
[[gnu::noinline]] void deliver(engine::event const& e, admission_point point,
                               charge const& charged) {
  const std::int64_t position = e.after();
  scope* target = nullptr;
  scope* pending = nullptr;
  bool due = false;
  for (scope* s = this_thread_limits.innermost; s != this_thread_limits.barrier; s = s->outer) {
    if (s->pending() && pending == nullptr) pending = s;
    if (s->pending() && target == nullptr && s->request.begun_by == nullptr) target = s;
    due |= s->is_due(position);
  }
  if (!due) return;
  if (point == admission_point::question) return;
  if (point == admission_point::silent) {
    ++this_thread_limits.misses;
    return;
  }
  this_thread_limits.misses = 0;
  if (target == nullptr) {
    return defer(
        *pending, position,
        {.reason = "in a limit that was begun by a call, where no exception can be caught"});
  }
  const std::int64_t before = base::steady_nanoseconds();
  const delivery::decision decision =
      delivery::decide(attempt_for(*target, position, __builtin_frame_address(0)));
  limit_totals.preflight_time.fetch_add(base::steady_nanoseconds() - before,
                                        std::memory_order_relaxed);
  if (!decision.deliver()) {
    // A task that can pause is not left by a jump: its stack begins with its function.
    if (decision.abandoned && target->request.pausable == nullptr) return drop_scope(*target);
    if (this_thread_limits.probe != nullptr) probe_deferral(e, decision.reason, decision.place);
    return defer(*target, position, decision);
  }
  if (this_thread_limits.probe != nullptr) probe_delivery(e);
  record_delivery(e);
  const auto kind = static_cast<std::size_t>(target->hit.kind);
  limit_totals.interrupts[kind].fetch_add(1, std::memory_order_relaxed);
  const engine::raised_interrupt raised{.kind = static_cast<std::uint8_t>(target->hit.kind),
                                        .allowed = target->hit.limit,
                                        .measured = target->hit.measured,
                                        .deferrals = target->attempts.deferrals,
                                        .frame = __builtin_frame_address(0)};
  engine::notify_interrupted(raised);
  notify_preload_library(raised);
  withdraw(e, charged);  // sets the wakeup, too
  // The event still mutes the thread, so the exception object's memory is neither counted nor
  // sampled. Unwinding ends the event with our frames, before it reaches the task's.
  delivery::raise(target->hit.kind);
}

/// May callbacks of the program run at this point?
bool may_call_out(admission_point point) noexcept {
  return point != admission_point::silent && this_thread_limits.mask_depth == 0 &&
         std::uncaught_exceptions() <= this_thread_limits.innermost->uncaught_at_entry;
}

}  // namespace

// A function of its own, and not inlined into `admit`: before it a task may have been paused and
// resumed on another thread, whose thread-local data must be addressed anew.
[[gnu::noinline]] void finish_admission(engine::event const& e, admission_point point,
                                        charge const& charged) {
  if (this_thread_limits.probe != nullptr) probe_event(e, point);
  if (this_thread_limits.innermost->chain.pending) {
    note_overdue(e.after());
    check_ceilings(e.after(), may_call_out(point));
    deliver(e, point, charged);
  }
  if (this_thread_limits.running != nullptr) cancel_again_soon();
  set_wakeup();
}

bool admission::refuses_malloc(std::uintptr_t caller, void const* frame) noexcept {
  engine::event const& e = event_;
  scope* const innermost = this_thread_limits.innermost;
  if (innermost == nullptr ||
      (!innermost->chain.refuses && !innermost->chain.asks && !charged_.found)) [[likely]]
    return false;
  if (this_thread_limits.mask_depth > 0) return false;
  // What unwinding cleans up must not fail, too.
  if (std::uncaught_exceptions() > innermost->uncaught_at_entry) return false;
  if (delivery::needs_memory(caller)) return false;
  if (innermost->chain.asks) ask_predicates(e, caller);
  scope* const first = next_refusing(innermost, e, caller);
  if (first == nullptr) return false;
  const delivery::decision decision =
      delivery::preflight_of_null({.boundary = first->boundary,
                                   .origin = frame,
                                   .in_other_language = first->request.begun_by != nullptr});
  if (charged_.found) publish_hits(e, charged_.block);
  for (scope* s = first; s != nullptr; s = next_refusing(s->outer, e, caller)) {
    if (decision.deliver()) {
      s->attempts.refuse_malloc(e.before(), s->request.grace);
      s->hit.confirm();  // a token or deadline, too: the task feels it
    } else {
      s->attempts.note_deferral(decision);
    }
  }
  if (!decision.deliver()) count_deferral(decision.reason);
  return decision.deliver();
}

/// Those that malloc has passed, where no callback may be called.
void call_soft_limits_on_memory() noexcept {
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (s->request.soft.empty() || s->pending() || s->counted.memory_limit == unlimited) continue;
    call_soft_limits(*s, limit_kind::memory, s->counted.memory_limit,
                     engine::amount_of(live_account_of(*s)));
  }
  refresh_chain();
}

bool should_stop() noexcept {
  if (auto const* const other = copies::other()) return other->should_stop();
  if (engine::current.muted > 0) return false;
  drop_abandoned_scopes(__builtin_frame_address(0));
  if (this_thread_limits.innermost == nullptr) return false;
  {
    const engine::event e;
    if (may_call_out(admission_point::question)) call_soft_limits_on_memory();
    admission(e, admission_point::question, __builtin_frame_address(0)).grant();
  }
  return any_pending();
}

admission::admission(engine::event const& e, admission_point point, void const* frame) : event_(e) {
  drop_abandoned_scopes(__builtin_frame_address(0));
  if (this_thread_limits.innermost == nullptr) return;
  charged_ = check(e, may_call_out(point), frame);
  // Nobody is interrupted at a silent point, so hits can wait for the allocator's answer.
  if (charged_.found && point == admission_point::delivery) publish_hits(e, charged_.block);
  if (this_thread_limits.running != nullptr) pause_if_due(e, point);
  finish_admission(e, point, charged_);
}

}  // namespace detail
}  // namespace memprof::inline v0
