// SPDX-License-Identifier: MIT
#include "limits/scope.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>

#include "memprof/detail/sample_count.hpp"

#include "delivery/delivery.hpp"
#include "limits/abandoned_scopes.hpp"
#include "limits/adaptive_rate.hpp"
#include "limits/ceiling.hpp"
#include "limits/global_limit.hpp"
#include "limits/misuse.hpp"
#include "limits/probe.hpp"
#include "limits/reasons.hpp"
#include "limits/soft_limits.hpp"
#include "limits/suspension.hpp"

namespace memprof::inline v0::detail {

constinit thread_local thread_limits this_thread_limits;

namespace {

/// The position beyond which an exact count needs an event: its limit, or a soft limit before it.
std::int64_t exact_wakeup(scope& s) noexcept {
  if (s.pending() || s.allocations_limit == unlimited || !s.exact()) return never;
  const std::int64_t words = next_soft_amount(s, limit_kind::allocations, s.allocations_limit) / 8;
  if (shared_account const* const shared = s.request.shared) {
    // Each run may take its part of what is left before it charges the account again: one alone
    // stops at the word, several are late by what the others had not charged yet.
    const std::int64_t left = words - shared->exact_words.load(std::memory_order_relaxed);
    const int runs = std::max(1, shared->runs.load(std::memory_order_relaxed));
    return engine::current.position + std::clamp<std::int64_t>(left / runs, 0, poll_interval);
  }
  return words >= never - s.start_position ? never : s.start_position + words;
}

/// The charged words at which a sampled limit, or a soft limit below it, may be reached.
double sampled_threshold(scope& s) noexcept {
  if (s.pending() || s.allocations_limit == unlimited || s.exact()) return HUGE_VAL;
  if (s.request.shared != nullptr) return 0.0;
  // A soft limit may be reached by an upper bound, at any sample.
  if (s.request.false_interrupt_probability && !s.request.soft.empty()) {
    return s.start_charged;
  }
  const auto amount = next_soft_amount(s, limit_kind::allocations, s.allocations_limit);
  const double soft = static_cast<double>(amount) / 8.0;
  const double hard =
      statistics::charge_threshold(s.allocations_limit, this_thread_limits.per_word);
  return s.start_charged + std::min(amount < s.allocations_limit ? soft : hard, hard);
}

void summarise(scope& s) noexcept {
  scope_request const& r = s.request;
  s.chain_wakeup = exact_wakeup(s);
  s.chain_threshold = sampled_threshold(s);
  s.chain_polls = !s.hit && (r.stop.is_set != nullptr || s.deadline != never || r.global_memory ||
                             r.cancel_if != nullptr || r.shared != nullptr);
  s.chain_has_accounts = s.account != nullptr;
  s.chain_pending = s.pending();
  s.chain_refuses = s.may_refuse_malloc() && (r.malloc_after_hit != malloc_policy::serve ||
                                              delivery::may_refuse_by_module());
  s.chain_asks = !s.pending() && r.cancel_if != nullptr &&
                 (r.malloc_after_hit != malloc_policy::serve || delivery::may_refuse_by_module());
  s.chain_adapts_rate = r.finest_rate > 0.0 && s.memory_limit != unlimited;
  if (scope const* o = s.outer) {
    s.chain_wakeup = std::min(s.chain_wakeup, o->chain_wakeup);
    s.chain_threshold = std::min(s.chain_threshold, o->chain_threshold);
    s.chain_polls |= o->chain_polls;
    s.chain_has_accounts |= o->chain_has_accounts;
    s.chain_pending |= o->chain_pending;
    s.chain_refuses |= o->chain_refuses;
    s.chain_asks |= o->chain_asks;
    s.chain_adapts_rate |= o->chain_adapts_rate;
  }
}

/// A part of a task after the one in which its interrupt was raised: the rest of the task may end.
void give_grace(scope& s) noexcept {
  const std::int64_t before = s.request.shared->deliveries.load(std::memory_order_relaxed);
  if (before == 0) return;
  s.next_attempt = engine::current.position +
                   grace_after(std::min<std::int64_t>(before, 2), s.request.grace.count());
}

void start_counts(scope& s) noexcept {
  scope_request const& r = s.request;
  if (r.shared != nullptr) {
    s.allocations_limit = r.shared->allocations_limit.load(std::memory_order_relaxed);
    s.memory_limit = r.shared->memory_limit.load(std::memory_order_relaxed);
    r.shared->runs.fetch_add(1, std::memory_order_acq_rel);
    if (r.resumption) {
      give_grace(s);
      s.labels_around = engine::current_labels;
      if (r.shared->has_labels.load(std::memory_order_acquire))
        engine::current_labels = r.shared->labels.load(std::memory_order_relaxed);
    }
  } else {
    if (r.allocations) s.allocations_limit = r.allocations->count();
    if (r.memory) s.memory_limit = r.memory->count();
  }
  s.start_position = s.charged_position = engine::current.position;
  s.start_charged = this_thread_limits.charged;
  s.uncaught_at_entry = std::uncaught_exceptions();
}

/// The next scope around `s` that runs under the same budget, or null.
scope* enclosing_run(scope const& s) noexcept {
  scope* o = s.outer;
  while (o != nullptr && o->request.shared != s.request.shared) o = o->outer;
  return o;
}

/// Charges to a budget what this thread has counted since it was last charged.
void charge_rest(scope& s) noexcept {
  s.request.shared->exact_words.fetch_add(engine::current.position - s.charged_position,
                                          std::memory_order_relaxed);
  s.charged_position = engine::current.position;
}

/// The end of a run of a budget.
void end_shared(scope& s) noexcept {
  shared_account& shared = *s.request.shared;
  charge_rest(s);
  if (s.request.resumption) {
    shared.labels.store(engine::current_labels, std::memory_order_relaxed);
    shared.has_labels.store(true, std::memory_order_release);
    engine::current_labels = s.labels_around;
  }
  if (scope* o = enclosing_run(s)) o->charged_position = s.charged_position;
  // Live memory can be freed, so after a hit on its memory limit a budget can be used again once
  // the interrupted runs have ended. Allocations stay used up.
  if (shared.runs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    shared.hit.forget_unless(limit_kind::allocations);
  }
}

}  // namespace

void start_counting() noexcept {
  const bool exactly =
      this_thread_limits.probe != nullptr && this_thread_limits.probe->samples_every_word;
  const double rate = exactly ? 1.0 : engine::limit_rate();
  engine::set_demand(rate);
  this_thread_limits.per_word = rate;
  this_thread_limits.interval = statistics::mean_interval(rate);
  this_thread_limits.charged = 0.0;
}

void settle_budgets() noexcept {
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (s->request.shared == nullptr) continue;
    if (!charged_by_inner(*s)) charge_rest(*s);
    s->charged_position = engine::current.position;
  }
}

bool charged_by_inner(scope const& s) noexcept {
  if (s.request.shared == nullptr) return false;
  for (scope const* i = s.inner; i != nullptr; i = i->inner) {
    if (i->request.shared == s.request.shared) return true;
  }
  return false;
}

void enter(scope& s) {
  // A frame at the same place or further out is not of a function inside that limit.
  drop_abandoned_scopes(static_cast<char const*>(s.boundary) + 1);
  engine::is_muted(s.boundary, 0);  // not by code that a jump has left: no limit would fire
  scope_request const& r = s.request;
  s.mask_depth_at_entry = this_thread_limits.mask_depth;
  s.outer = this_thread_limits.innermost;
  scope* const same_budget = r.shared != nullptr ? enclosing_run(s) : nullptr;
  if (r.memory || r.global_memory || r.shared != nullptr || r.explain > 0) {
    // The account of an enclosing run of the same budget forwards the charges.
    const bool direct = r.shared != nullptr && same_budget == nullptr;
    // A budget's account has the stacks of all its runs.
    s.account = engine::open_account(account_around(s), direct ? r.shared->live : nullptr,
                                     r.explain > 0 && r.shared == nullptr);
    if (s.account == nullptr) throw std::bad_alloc();
  }
  const engine::event settle;
  if (same_budget != nullptr) charge_rest(*same_budget);
  if (this_thread_limits.innermost == nullptr) start_counting();
  start_counts(s);
  if (s.outer != nullptr) s.outer->inner = &s;
  if (r.pausable != nullptr) begin_task(s);
  if (s.account != nullptr) set_owner(s.account);
  summarise(s);
  this_thread_limits.innermost = &s;
  if (r.global_memory) register_global(s);
  if (s.deadline != never) list_overdue(s);
  set_wakeup();
  // The first allocation finds what holds already: a budget used up, memory over the limit.
  if (s.chain_polls) engine::current.wakeup = engine::current.position;
}

void leave(scope& s) noexcept {
  if (this_thread_limits.innermost != &s && !drop_scopes_inside(s)) [[unlikely]] {
    end_by_misuse(s.request.function,
                  "its task ended on another thread than it began on, or while a limit that began "
                  "later on this thread was still there. Do not hold a limit across a switch to "
                  "another stack or thread (fibers, asio::spawn, coroutines); memprof::task may "
                  "switch.");
  }
  const engine::event settle;
  unlink(s);
}

void unlink(scope& s) noexcept {
  if (s.request.shared != nullptr) end_shared(s);
  if (s.request.global_memory) unregister_global(s);
  unlist_overdue(s);
  scope* const inner = s.inner;
  (inner != nullptr ? inner->outer : this_thread_limits.innermost) = s.outer;
  if (s.outer != nullptr) s.outer->inner = inner;
  if (s.account != nullptr) {
    if (inner == nullptr || engine::current.owner == s.account) set_owner(s.account->parent);
    engine::release(s.account);
    if (s.reasons != 0) [[unlikely]]
      drop_reasons(s);
  }
  if (s.request.pausable != nullptr) end_task(s);
  if (s.hit) {
    for (scope* o = s.outer; o != nullptr; o = o->outer) {
      if (o->pending()) o->next_attempt = at_once;
    }
  }
  if (this_thread_limits.innermost == nullptr) {
    this_thread_limits.misses = 0;
    engine::set_demand(0.0);
  } else {
    if (inner != nullptr) refresh_chain();
    adjust_rate(0);
  }
  set_wakeup();
}

void refresh_chain() noexcept {
  scope* s = this_thread_limits.innermost;
  if (s == nullptr) return;
  while (s->outer != nullptr) s = s->outer;
  for (; s != nullptr; s = s->inner) summarise(*s);
}

std::int64_t patience() noexcept {
  return std::min<std::int64_t>(this_thread_limits.misses > 64 ? this_thread_limits.misses - 64 : 0,
                                poll_interval);
}

void set_wakeup() noexcept {
  scope const* const innermost = this_thread_limits.innermost;
  if (innermost == nullptr) {
    engine::current.wakeup = never;
    return;
  }
  const std::int64_t position = engine::current.position;
  std::int64_t wakeup = innermost->chain_wakeup;
  if (innermost->chain_polls) wakeup = std::min(wakeup, position + poll_interval);
  if (innermost->chain_pending) {
    std::int64_t attempt = never;
    for (scope const* s = innermost; s != nullptr; s = s->outer) {
      if (s->pending()) attempt = std::min(attempt, s->next_attempt);
    }
    wakeup = std::min(wakeup, std::max(attempt, position + patience()));
    for (scope const* s = innermost; s != nullptr; s = s->outer) {
      // A ceiling that waits for a point where it may call out is checked at the same distances.
      const std::int64_t ceiling = ceiling_position(*s);
      if (ceiling != never) wakeup = std::min(wakeup, std::max(ceiling, position + patience()));
    }
  }
  if (this_thread_limits.running != nullptr) wakeup = std::min(wakeup, pause_wakeup(position));
  if (innermost->chain_refuses) wakeup = position;
  engine::current.wakeup = this_thread_limits.probe != nullptr ? position : wakeup;
}

}  // namespace memprof::inline v0::detail
