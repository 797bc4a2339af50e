// SPDX-License-Identifier: MIT
#include "limits/scope.hpp"

#include <exception>
#include <new>

#include "limits/abandoned_scopes.hpp"
#include "limits/adaptive_rate.hpp"
#include "limits/global_limit.hpp"
#include "limits/misuse.hpp"
#include "limits/reasons.hpp"
#include "limits/suspension.hpp"

namespace memprof::inline v0::detail {

constinit thread_local thread_limits this_thread_limits;

namespace {

/// Of a task: what the parts before it left.
void begin_part(scope& s) noexcept {
  shared_account& shared = *s.request.shared;
  s.attempts.give_grace(engine::current.position, shared.deliveries.load(std::memory_order_relaxed),
                        s.request.grace);
  s.labels_around = engine::current_labels;
  if (shared.has_labels.load(std::memory_order_acquire))
    engine::current_labels = shared.labels.load(std::memory_order_relaxed);
}

void end_part(scope const& s) noexcept {
  s.request.shared->labels.store(engine::current_labels, std::memory_order_relaxed);
  s.request.shared->has_labels.store(true, std::memory_order_release);
  engine::current_labels = s.labels_around;
}

}  // namespace

void enter(scope& s) {
  // A frame at the same place or further out is not of a function inside that limit.
  drop_abandoned_scopes(static_cast<char const*>(s.boundary) + 1);
  engine::is_muted(s.boundary, 0);  // not by code that a jump has left: no limit would fire
  scope_request const& r = s.request;
  s.mask_depth_at_entry = this_thread_limits.mask_depth;
  s.outer = this_thread_limits.innermost;
  if (!open_account(s)) throw std::bad_alloc();
  const engine::event settle;
  start_counts(s);
  s.uncaught_at_entry = std::uncaught_exceptions();
  if (r.resumption) begin_part(s);
  if (s.outer != nullptr) s.outer->inner = &s;
  if (r.pausable != nullptr) begin_task(s);
  if (s.counted.account != nullptr) set_owner(s.counted.account);
  summarise(s);
  this_thread_limits.innermost = &s;
  if (r.global_memory) register_global(s);
  if (s.clock.deadline != never) list_overdue(s);
  set_wakeup();
  // The first allocation finds what holds already: a budget used up, memory over the limit.
  if (s.chain.polls) engine::current.wakeup = engine::current.position;
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
  if (s.request.resumption) end_part(s);
  end_counts(s);
  if (s.request.global_memory) unregister_global(s);
  unlist_overdue(s);
  scope* const inner = s.inner;
  (inner != nullptr ? inner->outer : this_thread_limits.innermost) = s.outer;
  if (s.outer != nullptr) s.outer->inner = inner;
  if (s.counted.account != nullptr) {
    if (inner == nullptr || engine::current.owner == s.counted.account)
      set_owner(account_around(s));  // not the account's parent: that scope may have ended before
    engine::release(s.counted.account);
    if (s.reasons != 0) [[unlikely]]
      drop_reasons(s);
  }
  if (s.request.pausable != nullptr) end_task(s);
  if (s.hit.happened) {
    for (scope* o = s.outer; o != nullptr; o = o->outer) {
      if (o->pending()) o->attempts.make_due();
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

}  // namespace memprof::inline v0::detail
