// SPDX-License-Identifier: MIT
#include "limits/counted.hpp"

#include "memprof/detail/sample_count.hpp"

#include "limits/probe.hpp"
#include "limits/scope.hpp"
#include "limits/suspension.hpp"

namespace memprof::inline v0::detail {
namespace {

/// The next scope around `s` that runs under the same budget, or null.
scope* enclosing_run(scope const& s) noexcept {
  scope* o = s.outer;
  while (o != nullptr && o->request.shared != s.request.shared) o = o->outer;
  return o;
}

}  // namespace

engine::account const& live_account_of(scope const& s) noexcept {
  return s.request.shared != nullptr ? *s.request.shared->live : *s.counted.account;
}

std::int64_t own_amount(scope const& s, limit_kind kind) noexcept {
  if (kind == limit_kind::memory) return s.counted.account->live.whole_bytes();
  if (s.exact()) return (engine::current.position - s.counted.start_position) * 8;
  return static_cast<std::int64_t>((this_thread_limits.charged - s.counted.start_charged) * 8.0);
}

std::uint64_t next_memory_look(scope& s) noexcept {
  if (s.request.shared == nullptr) return ++s.counted.memory_looks;
  return 1 + s.request.shared->memory_looks.fetch_add(1, std::memory_order_relaxed);
}

void set_limit(scope& s, limit_kind kind, std::int64_t limit) noexcept {
  const bool allocations = kind == limit_kind::allocations;
  (allocations ? s.counted.allocations_limit : s.counted.memory_limit) = limit;
  if (shared_account* const shared = s.request.shared) {
    (allocations ? shared->allocations_limit : shared->memory_limit)
        .store(limit, std::memory_order_relaxed);
  }
}

void start_counting() noexcept {
  const bool exactly =
      this_thread_limits.probe != nullptr && this_thread_limits.probe->samples_every_word;
  const double rate = exactly ? 1.0 : engine::limit_rate();
  engine::set_demand(rate);
  this_thread_limits.per_word = rate;
  this_thread_limits.interval = statistics::mean_interval(rate);
  this_thread_limits.charged = 0.0;
}

bool open_account(scope& s) noexcept {
  scope_request const& r = s.request;
  if (!r.memory && !r.global_memory && r.shared == nullptr && r.explain == 0) return true;
  // The account of an enclosing run of the same budget forwards the charges.
  const bool direct = r.shared != nullptr && enclosing_run(s) == nullptr;
  // A budget's account has the stacks of all its runs.
  s.counted.account = engine::open_account(account_around(s), direct ? r.shared->live : nullptr,
                                           r.explain > 0 && r.shared == nullptr);
  return s.counted.account != nullptr;
}

void start_counts(scope& s) noexcept {
  scope_request const& r = s.request;
  if (r.shared != nullptr) {
    if (scope* const o = enclosing_run(s)) charge_budget(*o, engine::current.position);
    s.counted.allocations_limit = r.shared->allocations_limit.load(std::memory_order_relaxed);
    s.counted.memory_limit = r.shared->memory_limit.load(std::memory_order_relaxed);
    r.shared->runs.fetch_add(1, std::memory_order_acq_rel);
  } else {
    if (r.allocations) s.counted.allocations_limit = r.allocations->count();
    if (r.memory) s.counted.memory_limit = r.memory->count();
  }
  if (s.outer == nullptr) start_counting();
  s.counted.start_position = s.counted.charged_position = engine::current.position;
  s.counted.start_charged = this_thread_limits.charged;
}

void end_counts(scope& s) noexcept {
  if (s.request.shared == nullptr) return;
  shared_account& shared = *s.request.shared;
  charge_budget(s, engine::current.position);
  if (scope* o = enclosing_run(s)) o->counted.charged_position = s.counted.charged_position;
  // Live memory can be freed, so after a hit on its memory limit a budget can be used again once
  // the interrupted runs have ended. Allocations stay used up.
  if (shared.runs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    shared.hit.forget_unless(limit_kind::allocations);
  }
}

bool charged_by_inner(scope const& s) noexcept {
  if (s.request.shared == nullptr) return false;
  for (scope const* i = s.inner; i != nullptr; i = i->inner) {
    if (i->request.shared == s.request.shared) return true;
  }
  return false;
}

std::int64_t charge_budget(scope& s, std::int64_t position, bool by_inner) noexcept {
  const std::int64_t added = by_inner ? 0 : position - s.counted.charged_position;
  s.counted.charged_position = position;
  return s.request.shared->exact_words.fetch_add(added, std::memory_order_relaxed) + added;
}

void settle_budgets() noexcept {
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (s->request.shared != nullptr)
      charge_budget(*s, engine::current.position, charged_by_inner(*s));
  }
}

}  // namespace memprof::inline v0::detail
