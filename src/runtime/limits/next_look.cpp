// SPDX-License-Identifier: MIT
#include "limits/next_look.hpp"

#include <algorithm>
#include <cmath>

#include "memprof/detail/sample_count.hpp"

#include "delivery/delivery.hpp"
#include "limits/ceiling.hpp"
#include "limits/scope.hpp"
#include "limits/soft_limits.hpp"
#include "limits/suspension.hpp"

namespace memprof::inline v0::detail {
namespace {

/// The position beyond which an exact count needs an event: its limit, or a soft limit before it.
std::int64_t exact_wakeup(scope& s) noexcept {
  if (s.pending() || s.counted.allocations_limit == unlimited || !s.exact()) return never;
  const std::int64_t words =
      next_soft_amount(s, limit_kind::allocations, s.counted.allocations_limit) / 8;
  if (shared_account const* const shared = s.request.shared) {
    // Each run may take its part of what is left before it charges the account again: one alone
    // stops at the word, several are late by what the others had not charged yet.
    const std::int64_t left = words - shared->exact_words.load(std::memory_order_relaxed);
    const int runs = std::max(1, shared->runs.load(std::memory_order_relaxed));
    return engine::current.position + std::clamp<std::int64_t>(left / runs, 0, poll_interval);
  }
  return words >= never - s.counted.start_position ? never : s.counted.start_position + words;
}

/// The charged words at which a sampled limit, or a soft limit below it, may be reached.
double sampled_threshold(scope& s) noexcept {
  if (s.pending() || s.counted.allocations_limit == unlimited || s.exact()) return HUGE_VAL;
  if (s.request.shared != nullptr) return 0.0;
  // A soft limit may be reached by an upper bound, at any sample.
  if (s.request.false_interrupt_probability && !s.request.soft.empty()) {
    return s.counted.start_charged;
  }
  const auto amount = next_soft_amount(s, limit_kind::allocations, s.counted.allocations_limit);
  const double soft = static_cast<double>(amount) / 8.0;
  const double hard =
      statistics::charge_threshold(s.counted.allocations_limit, this_thread_limits.per_word);
  return s.counted.start_charged +
         std::min(amount < s.counted.allocations_limit ? soft : hard, hard);
}

}  // namespace

void summarise(scope& s) noexcept {
  scope_request const& r = s.request;
  s.chain.wakeup = exact_wakeup(s);
  s.chain.threshold = sampled_threshold(s);
  s.chain.polls =
      !s.hit.happened && (r.stop.is_set != nullptr || s.clock.deadline != never ||
                          r.global_memory || r.cancel_if != nullptr || r.shared != nullptr);
  s.chain.has_accounts = s.counted.account != nullptr;
  s.chain.pending = s.pending();
  s.chain.refuses = s.may_refuse_malloc() && (r.malloc_after_hit != malloc_policy::serve ||
                                              delivery::may_refuse_by_module());
  s.chain.asks = !s.pending() && r.cancel_if != nullptr &&
                 (r.malloc_after_hit != malloc_policy::serve || delivery::may_refuse_by_module());
  s.chain.adapts_rate = r.finest_rate > 0.0 && s.counted.memory_limit != unlimited;
  if (scope const* o = s.outer) {
    s.chain.wakeup = std::min(s.chain.wakeup, o->chain.wakeup);
    s.chain.threshold = std::min(s.chain.threshold, o->chain.threshold);
    s.chain.polls |= o->chain.polls;
    s.chain.has_accounts |= o->chain.has_accounts;
    s.chain.pending |= o->chain.pending;
    s.chain.refuses |= o->chain.refuses;
    s.chain.asks |= o->chain.asks;
    s.chain.adapts_rate |= o->chain.adapts_rate;
  }
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
  std::int64_t wakeup = innermost->chain.wakeup;
  if (innermost->chain.polls) wakeup = std::min(wakeup, position + poll_interval);
  if (innermost->chain.pending) {
    std::int64_t next = never;
    for (scope const* s = innermost; s != nullptr; s = s->outer) {
      // A ceiling that waits for a point where it may call out is checked at the same distances.
      if (s->pending()) next = std::min({next, s->attempts.next, ceiling_position(*s)});
    }
    wakeup = std::min(wakeup, std::max(next, position + patience()));
  }
  if (this_thread_limits.running != nullptr) wakeup = std::min(wakeup, pause_wakeup(position));
  if (innermost->chain.refuses) wakeup = position;
  engine::current.wakeup = this_thread_limits.probe != nullptr ? position : wakeup;
}

}  // namespace memprof::inline v0::detail
