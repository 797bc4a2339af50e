// SPDX-License-Identifier: MIT
/// \file
/// What is counted: the amounts of a scope and what they may come to.
#pragma once

#include <atomic>
#include <cstdint>

#include "memprof/detail/export.hpp"
#include "memprof/interrupted.hpp"

#include "engine/engine.hpp"
#include "limits/shared_account.hpp"

namespace memprof::inline v0::detail {

struct scope;

/// Of one scope. Limits are bytes; a callback of a soft limit may raise them. Changed here and in
/// counted.cpp alone.
struct counted_amounts {
  std::int64_t allocations_limit = unlimited;
  std::int64_t memory_limit = unlimited;
  std::int64_t start_position = 0;    ///< of the thread's words
  double start_charged = 0.0;         ///< of the thread's words charged by samples
  std::int64_t charged_position = 0;  ///< up to which a budget has been charged
  engine::account* account = nullptr;
  // How often an amount with a risk was compared with its limit.
  std::uint64_t memory_looks = 0;
  std::uint64_t global_looks = 0;

  std::uint64_t next_global_look() noexcept { return ++global_looks; }
  void shift(std::int64_t words, double charged) noexcept {
    start_position += words;
    charged_position += words;
    start_charged += charged;
  }
  /// Takes back an allocation that ended at `after`.
  ///
  /// \param paused the task paused in it: its thread's position never had the words, and does not
  ///   step back.
  void withdraw(std::int64_t after, std::int64_t words, double charged, bool paused) noexcept {
    if (paused) {
      start_position += words;
      start_charged += charged;
    } else if (charged_position == after) {
      charged_position -= words;
    }
  }
};

/// The account of live memory: of a run of a budget that of all its runs, also those before.
engine::account const& live_account_of(scope const& s) noexcept;

/// What `s` itself has counted so far, in bytes: allocations or memory.
std::int64_t own_amount(scope const& s, limit_kind kind) noexcept;

/// The number of the next look at live memory, of all runs of a budget.
std::uint64_t next_memory_look(scope& s) noexcept;

/// A new limit on allocations or memory; a budget's, too.
MEMPROF_INTERNAL_API void set_limit(scope& s, limit_kind kind, std::int64_t limit) noexcept;

/// Sets the limits' rate and its S for this thread. Called for its outermost scope.
void start_counting() noexcept;

/// Opens the account of a scope that is being entered, if it needs one. False: there is no memory.
bool open_account(scope& s) noexcept;
/// The scope begins to count, or ends.
void start_counts(scope& s) noexcept;
void end_counts(scope& s) noexcept;

/// Whether a run of the same budget is inside `s`: that run charges the budget, so `s` must not.
bool charged_by_inner(scope const& s) noexcept;
/// Charges the budget of `s` with what this thread has counted up to `position` since it was last
/// charged: nothing, if a run inside it is charged. Returns what all its runs have counted, but for
/// the others' latest words.
std::int64_t charge_budget(scope& s, std::int64_t position, bool by_inner = false) noexcept;
/// The same for all budgets of this thread. Called before scopes are linked or unlinked.
void settle_budgets() noexcept;

}  // namespace memprof::inline v0::detail
