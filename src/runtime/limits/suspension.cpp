// SPDX-License-Identifier: MIT
#include "limits/suspension.hpp"

#include <algorithm>

#include "limits/adaptive_rate.hpp"
#include "limits/global_limit.hpp"
#include "limits/reasons.hpp"

namespace memprof::inline v0::detail {
namespace {

/// Words of its patience that each interrupt after the first takes up.
constexpr std::int64_t patience_of_interrupt = 16;

/// Attempts to cancel at successive delivery points before they are spaced.
constexpr int prompt_attempts = 64;

/// Calls f on each scope of the task, from the innermost to the outermost.
template <class F>
void for_each_scope(suspension& t, F&& f) noexcept {
  if (t.outermost == nullptr) return;
  for (scope* s = t.innermost; s != nullptr; s = s == t.outermost ? nullptr : s->outer) f(*s);
}

/// Moves the task's counts from the positions of one thread and time to those of another.
void shift(suspension& t) noexcept {
  const std::int64_t by = engine::current.position - t.position;
  const double charged = this_thread_limits.charged - t.charged;
  for_each_scope(t, [&](scope& s) {
    s.counted.shift(by, charged);
    s.hit.shift(by);
    s.attempts.shift(by);
  });
}

scope* barrier_of(suspension const& t) noexcept {
  if (t.outermost == nullptr) return this_thread_limits.innermost;
  return t.cancelling ? t.outermost->outer : t.outermost;
}

engine::account* innermost_account(suspension const& t) noexcept {
  if (t.outermost == nullptr) return nullptr;
  for (scope const* s = t.innermost;; s = s->outer) {
    if (s->counted.account != nullptr || s == t.outermost) return s->counted.account;
  }
}

/// An account whose blocks are charged to both.
engine::account* bridge_between(suspension& t, engine::account* own,
                                engine::account* around) noexcept {
  engine::account* const old = t.bridge;
  if (old != nullptr && old->parent == own && old->shared == around) return old;
  t.bridge = engine::open_account(own, around);
  engine::release(old);
  return t.bridge != nullptr ? t.bridge : own;  // no memory: the task's alone
}

/// Whether an interrupt or pause is due around the resumer of `t`. Not while the resumer is masked:
/// it could only resume again.
bool outer_is_due(suspension const& t, std::int64_t position) noexcept {
  if (t.apart || t.resumer.mask_depth > 0) return false;
  for (scope const* s = t.outermost->outer; s != nullptr; s = s->outer) {
    if (s->is_due(position)) return true;
  }
  for (suspension const* o = t.resumer.running; o != nullptr; o = o->resumer.running) {
    if (position > o->quantum_end) return true;
    if (o->apart || o->resumer.mask_depth > 0) break;
  }
  return false;
}

/// Whether the task must pause at this position, and why.
bool pause_is_due(suspension const& t, std::int64_t position, pause_cause& cause) noexcept {
  if (t.outermost == nullptr) return false;
  if (t.cancelling) {
    cause = pause_cause::cancelled;
    return position > t.quantum_end;
  }
  if (t.outermost->is_due(position)) {
    cause = pause_cause::limit;
  } else if (position > t.quantum_end) {
    cause = pause_cause::quantum;
  } else if (outer_is_due(t, position)) {
    cause = pause_cause::outer;
  } else {
    return false;
  }
  return true;
}

/// A masked region: those that are due are looked at later, or when it ends.
void postpone(std::int64_t position) noexcept {
  for (scope* s = this_thread_limits.barrier; s != nullptr; s = s->outer) {
    if (s->is_due(position)) s->attempts.postpone(position);
  }
}

/// Pauses the task. Not inlined, and uses no thread-local data after the switch: it may return on
/// another thread.
[[gnu::noinline]] void put_down(suspension& t, pause_cause cause, std::int64_t words) noexcept {
  t.cause = cause;
  t.requested = words;
  t.switch_to_resumer(t);
}

}  // namespace

void link(suspension& t, bool apart) noexcept {
  settle_budgets();
  t.resumer = this_thread_limits;
  t.resumer_owner = engine::current.owner;
  t.resumer_labels = engine::current_labels;
  if (t.has_labels) engine::current_labels = t.labels;  // else it begins with its resumer's
  t.apart = apart;
  t.first = this_thread_limits.innermost == nullptr;
  if (t.first) start_counting();
  if (apart) this_thread_limits.innermost = nullptr;
  shift(t);
  if (t.outermost != nullptr) {
    t.outermost->outer = this_thread_limits.innermost;
    if (this_thread_limits.innermost != nullptr) this_thread_limits.innermost->inner = t.outermost;
    this_thread_limits.innermost = t.innermost;
    if (!t.cancelling && t.outermost->hit.stopping) {
      // The monitor has seen it: this request is granted, and the next check decides anew.
      t.outermost->hit.forgive();
      t.outermost->attempts.start_anew();
      drop_reasons(*t.outermost);
    }
  }
  this_thread_limits.running = &t;
  this_thread_limits.barrier = barrier_of(t);
  this_thread_limits.mask_depth = t.mask_depth;
  this_thread_limits.misses = 0;
  const std::int64_t position = engine::current.position;
  t.quantum_end = t.quantum >= never - position ? never : position + t.quantum;
  set_owner(innermost_account(t));
  for_each_scope(t, [](scope& s) {
    if (s.request.global_memory) register_global(s);
    if (s.clock.deadline != never) list_overdue(s);
  });
  refresh_chain();
  adjust_rate(0);
  set_wakeup();
  // The first allocation finds what changed during the pause: a token set, memory over the limit.
  if (t.outermost != nullptr && t.innermost->chain.polls) engine::current.wakeup = position;
}

void unlink(suspension& t) noexcept {
  settle_budgets();
  // Paused tasks are no victims of the global limit: they could do nothing about it.
  if (t.outermost != nullptr) {
    t.innermost = this_thread_limits.innermost;
    for_each_scope(t, [](scope& s) {
      unlist_overdue(s);
      if (s.request.global_memory) unregister_global(s);
    });
    if (t.outermost->outer != nullptr) t.outermost->outer->inner = nullptr;
    t.outermost->outer = nullptr;
  } else {
    t.innermost = nullptr;
  }
  t.position = engine::current.position;
  t.charged = this_thread_limits.charged;
  t.mask_depth = this_thread_limits.mask_depth;
  const double charged = t.apart ? t.resumer.charged : this_thread_limits.charged;
  this_thread_limits = t.resumer;
  this_thread_limits.charged = charged;
  this_thread_limits.misses = 0;
  engine::current.owner = t.resumer_owner;
  t.labels = engine::current_labels;
  t.has_labels = true;
  engine::current_labels = t.resumer_labels;
  engine::note_interval(engine::current.owner, engine::interval_of_thread());
  if (t.first) {
    engine::set_demand(0.0);
  } else {
    adjust_rate(0);
  }
  set_wakeup();
}

void begin_cancel(suspension& t, char const* reason) noexcept {
  if (t.cancelling) return;
  t.cancelling = true;
  scope& s = *t.outermost;
  s.hit.cancel(reason);
  s.attempts.start_anew();
  take_reasons(s);
}

std::int64_t words_of(suspension const& t) noexcept {
  if (t.outermost == nullptr) return t.words_at_end;
  const bool runs_here = this_thread_limits.running == &t;
  return (runs_here ? engine::position_now() : t.position) - t.outermost->counted.start_position;
}

void pause_if_due(engine::event const& e, admission_point point) noexcept {
  suspension& t = *this_thread_limits.running;
  pause_cause cause{};
  if (!pause_is_due(t, e.after(), cause)) return;
  if (engine::current.muted > 1) return;  // cancellation_point() in a callback
  if (point != admission_point::delivery || this_thread_limits.mask_depth > 0) {
    ++this_thread_limits.misses;
    if (this_thread_limits.mask_depth > 0) postpone(e.after());
    return;
  }
  const engine::block_draw draw = engine::take_block();
  put_down(t, cause, e.words());
  engine::continue_block(draw);
}

bool pause_now() {
  if (this_thread_limits.running == nullptr || engine::current.muted > 0 ||
      this_thread_limits.mask_depth > 0)
    return false;
  suspension& t = *this_thread_limits.running;
  if (t.outermost == nullptr || t.cancelling) return false;
  const engine::event e;
  put_down(t, pause_cause::asked, 0);
  finish_admission(e, admission_point::delivery, {});
  return true;
}

void cancel_again_soon() noexcept {
  suspension const& t = *this_thread_limits.running;
  if (t.outermost == nullptr || !t.cancelling || !t.outermost->attempts.refused) return;
  if (t.outermost->attempts.backoff < prompt_attempts) t.outermost->attempts.make_due();
}

void count_swallowed() noexcept {
  suspension& t = *this_thread_limits.running;
  if (t.outermost == nullptr || !t.cancelling || t.outermost->attempts.deliveries <= 1) return;
  t.quantum_end -= patience_of_interrupt;
}

std::int64_t pause_wakeup(std::int64_t position) noexcept {
  std::int64_t wakeup = never;
  for (suspension const* t = this_thread_limits.running; t != nullptr; t = t->resumer.running) {
    wakeup = std::min(wakeup, t->quantum_end);
  }
  return wakeup == never ? never : std::max(wakeup, position + patience());
}

void begin_task(scope& s) noexcept {
  suspension& t = *s.request.pausable;
  t.outermost = &s;
  t.innermost = &s;
  this_thread_limits.barrier = &s;
}

void end_task(scope& s) noexcept {
  suspension& t = *s.request.pausable;
  t.words_at_end = engine::current.position - s.counted.start_position;
  t.outermost = nullptr;
  this_thread_limits.barrier = s.outer;
}

engine::account* account_around(scope const& s) noexcept {
  suspension const* const t = this_thread_limits.running;
  if (s.request.pausable != nullptr) return nullptr;
  for (scope const* o = s.outer; o != nullptr; o = o->outer) {
    if (o->counted.account != nullptr || (t != nullptr && o == t->outermost)) {
      return o->counted.account;
    }
  }
  return nullptr;
}

void set_owner(engine::account* a) noexcept {
  suspension* const t = this_thread_limits.running;
  engine::account* const around = t != nullptr && !t->apart ? t->resumer_owner : nullptr;
  if (around == nullptr) {
    engine::current.owner = a;
  } else {
    engine::current.owner = a == nullptr ? around : bridge_between(*t, a, around);
  }
  engine::note_interval(engine::current.owner, engine::interval_of_thread());
}

}  // namespace memprof::inline v0::detail
