// SPDX-License-Identifier: MIT
/// \file
/// A scope: one running limit function. The scopes of a thread form a chain, innermost first; an
/// event checks all scopes that it may concern.
#pragma once

#include <atomic>
#include <cstdint>

#include "memprof/detail/delivery_schedule.hpp"
#include "memprof/detail/run.hpp"

#include "limits/overdue.hpp"
#include "limits/shared_account.hpp"

namespace memprof::inline v0::detail {

inline constexpr std::int64_t never = std::int64_t{1} << 62;
inline constexpr std::int64_t at_once = -never;

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

  // What is counted. Amounts are bytes; a callback of a soft limit may raise them.
  std::int64_t allocations_limit = unlimited;
  std::int64_t memory_limit = unlimited;
  std::int64_t start_position = 0;    ///< of the thread's words
  double start_charged = 0.0;         ///< of the thread's words charged by samples
  std::int64_t charged_position = 0;  ///< up to which a budget has been charged
  std::int64_t start_time = 0;        ///< ns, steady clock
  std::int64_t deadline = never;      ///< ns, steady clock
  std::int64_t time_limit = never;    ///< ns, from start_time to deadline; 0 if that was before
  engine::account* account = nullptr;
  soft_progress soft{};
  // How often an amount with a risk was compared with its limit.
  std::atomic<std::uint64_t> memory_looks{0};
  std::uint64_t global_looks = 0;

  // The interrupt. `hit` decides the result; a token or deadline is `stopping` until delivered.
  bool hit = false;
  bool stopping = false;
  bool injected = false;  ///< by interruption testing, and not delivered since
  limit_kind kind{};
  std::int64_t hit_position = 0;  ///< of the thread's words, when it began to be pending
  std::int64_t hit_request = 0;   ///< words, of the allocation that found it, if it was granted
  std::int64_t hit_asked = 0;     ///< bytes, of that allocation, if it was not
  bool ceiling_done = false;      ///< its action was taken
  std::int64_t hit_limit = 0;
  std::int64_t hit_measured = 0;
  char const* reason = nullptr;
  std::uint64_t deliveries = 0;
  std::uint64_t deferrals = 0;
  std::uint64_t refusals = 0;  ///< by malloc
  char const* last_deferral = nullptr;
  std::uintptr_t last_place = 0;        ///< code that caused the last deferral; 0 if none did
  int library_refusals = 0;             ///< because of the standard library's handlers
  std::int64_t next_attempt = at_once;  ///< position after which it may be tried
  int backoff = 0;                      ///< refusals since the last delivery
  bool refused = false;                 ///< the last attempt was deferred

  /// What the open request would hit. It becomes a hit when the request is granted or refused here,
  /// and nothing if the allocator has no such block: check.hpp.
  struct {
    bool any = false;
    bool by_budget = false;  ///< for all its runs
    limit_kind kind{};
    std::int64_t limit = 0, measured = 0, asked = 0;
  } found;

  // Summary of this scope and all around it, so that an event that concerns none of them is cheap.
  std::int64_t chain_wakeup = never;  ///< first position that crosses an exact limit
  double chain_threshold = 0.0;       ///< charged words at which a sampled limit is hit
  bool chain_polls = false;           ///< something must be polled
  bool chain_has_accounts = false;    ///< every sample concerns live memory or a budget
  bool chain_pending = false;         ///< one is hit or stopping
  bool chain_refuses = false;         ///< one of these may make malloc return null
  bool chain_asks = false;            ///< one of these has a predicate, and may refuse by it
  bool chain_adapts_rate = false;     ///< the rate follows the live memory of one

  // Registry of scopes under the global limit (global_limit.cpp).
  scope* next_global = nullptr;
  scope* previous_global = nullptr;
  std::atomic<bool> selected{false};  ///< as the victim; set by any thread

  overdue_state overdue;
  engine::label_set labels_around = 0;  ///< of a part of a task: the thread's own
  std::uint32_t reasons = 0;  ///< where its memory was when it was hit: reasons.hpp; 0: not taken

  [[nodiscard]] bool pending() const noexcept { return hit || stopping; }
  /// Whether malloc may say no to this task, if its policy does. A task that can pause gets its
  /// memory until it pauses: it may live on.
  [[nodiscard]] bool may_refuse_malloc() const noexcept {
    return hit || (stopping && request.pausable == nullptr);
  }
  [[nodiscard]] bool is_due(std::int64_t position) const noexcept {
    return pending() && position > next_attempt;
  }
  [[nodiscard]] bool exact() const noexcept { return request.count == counting::exact; }
  [[nodiscard]] soft_progress& soft_state() noexcept {
    return request.shared != nullptr ? request.shared->soft : soft;
  }
  /// The number of the next look at live memory, of all runs of a budget.
  [[nodiscard]] std::uint64_t next_memory_look() noexcept {
    auto& looks = request.shared != nullptr ? request.shared->memory_looks : memory_looks;
    return 1 + looks.fetch_add(1, std::memory_order_relaxed);
  }
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

/// Whether a run of the same budget is inside `s`: that run charges the budget, so `s` must not.
bool charged_by_inner(scope const& s) noexcept;

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

/// Sets the limits' rate and its S for this thread. Called for its outermost scope.
void start_counting() noexcept;

/// Charges budgets with what this thread has counted since they were last charged. Called
/// before scopes are linked or unlinked.
void settle_budgets() noexcept;

/// Recomputes the chain_ members from the outermost scope inwards, after a hit or a raised limit.
void refresh_chain() noexcept;

/// Words until the next check. Grows over a long stretch in which no interrupt can be tried (C code
/// that allocates) up to the poll interval, which bounds the cost of such stretches.
std::int64_t patience() noexcept;

/// Tells the engine when this thread needs its next event.
void set_wakeup() noexcept;

}  // namespace memprof::inline v0::detail
