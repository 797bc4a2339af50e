// SPDX-License-Identifier: MIT
/// \file
/// A scope: one running limit function. The scopes of a thread form a chain, innermost first; an
/// event checks all scopes that it may concern.
///
/// The state of a scope lies in groups, and each is changed by the file that declares it. An event
/// whose request is over a limit goes through them like this:
///
///     check             charges `counted`, and notes in `hit.found` what is over its limit
///     publish_hits      that is `hit` now; its reasons are taken, other threads may read of it
///     refresh_chain     `chain`: what the next events have to look for
///     finish_admission  notes how overdue each is, acts at ceilings; is an attempt due?
///     record_delivery   yes: all that are pending are hit; `attempts` says when to try again
///     withdraw          the request is taken back, and `chain` and the wakeup are set anew
#pragma once

#include <atomic>
#include <cstdint>

#include "memprof/detail/run.hpp"

#include "limits/attempts.hpp"
#include "limits/counted.hpp"
#include "limits/hit.hpp"
#include "limits/next_look.hpp"
#include "limits/overdue.hpp"
#include "limits/shared_account.hpp"
#include "limits/stops.hpp"

namespace memprof::inline v0::detail {

struct scope {
  explicit scope(scope_request const& r) noexcept : request(r) {}
  scope(scope const&) = delete;
  scope& operator=(scope const&) = delete;

  scope_request request;  ///< a copy: the scope may outlive its function (abandoned_scopes.hpp)
  scope* outer = nullptr;
  scope* inner = nullptr;
  void const* boundary = nullptr;  ///< frame address of the limit function
  void const* caller = nullptr;    ///< where that function returns to
  std::uint32_t index = 0;         ///< in the pool of scopes
  int mask_depth_at_entry = 0;
  int uncaught_at_entry = 0;

  engine::label_set labels_around = 0;  ///< of a part of a task: the thread's own

  counted_amounts counted;     ///< what is counted
  task_clock clock;            ///< the same for time
  hit_state hit;               ///< what was hit
  delivery_attempts attempts;  ///< how it is delivered
  chain_summary chain;         ///< when to look next
  soft_progress soft{};        ///< soft_limits.hpp
  bool ceiling_done = false;   ///< its action was taken: ceiling.hpp
  overdue_state overdue;
  std::uint32_t reasons = 0;  ///< where its memory was when it was hit: reasons.hpp; 0: not taken
  /// Of the registry of scopes under the global limit: global_limit.hpp.
  struct {
    scope* next = nullptr;
    scope* previous = nullptr;
    std::atomic<bool> selected{false};  ///< as the victim; set by any thread
  } global;

  [[nodiscard]] bool pending() const noexcept { return hit.pending(); }
  /// Whether malloc may say no to this task, if its policy does. A task that can pause gets its
  /// memory until it pauses: it may live on.
  [[nodiscard]] bool may_refuse_malloc() const noexcept {
    return hit.happened || (hit.stopping && request.pausable == nullptr);
  }
  [[nodiscard]] bool is_due(std::int64_t position) const noexcept {
    return pending() && position > attempts.next;
  }
  [[nodiscard]] bool exact() const noexcept { return request.count == counting::exact; }
};

struct probe;

/// This thread's limits.
struct thread_limits {
  scope* innermost = nullptr;
  double charged = 0.0;   ///< words charged by samples since the outermost scope began
  double per_word = 0.0;  ///< the limits' rate while a scope is open
  double interval = 0.0;  ///< its S, in words
  int mask_depth = 0;
  std::uint32_t misses = 0;  ///< events in a row at which a pending interrupt could not be tried
  detail::probe* probe = nullptr;  ///< of interruption testing; null outside its runs
  suspension* running = nullptr;   ///< the innermost task that runs here and can pause
  /// The first scope that no exception from here may reach: it lies under a task's stack, or its
  /// limit pauses the task instead. Null if there is none.
  scope* barrier = nullptr;
};

extern constinit thread_local thread_limits this_thread_limits;

/// Links the scope in as the innermost one and starts its counts. Throws std::bad_alloc if there is
/// no memory for its account.
void enter(scope& s);

/// Unlinks the innermost scope. If it was hit, outer scopes that are hit are due at once. Scopes
/// inside it were left by longjmp, and are dropped; if they cannot have been, or it is not a scope
/// of this thread, the process ends: the chain is broken.
void leave(scope& s) noexcept;

/// Unlinks a scope of this thread, the innermost or another one. In an event.
void unlink(scope& s) noexcept;

/// The error of a scope that is hit, before its task has ended.
interrupted interruption_so_far(scope const& s);

}  // namespace memprof::inline v0::detail
