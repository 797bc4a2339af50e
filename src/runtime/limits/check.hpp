// SPDX-License-Identifier: MIT
/// \file
/// Checks an event: what it charges, and which limits of this thread it hits.
#pragma once

#include "memprof/detail/export.hpp"

#include "engine/engine.hpp"

namespace memprof::inline v0::detail {

struct scope;

/// What a request was charged.
struct charge {
  double sampled = 0.0;  ///< words, by samples at the limits' rate
  bool checked = false;  ///< the scopes were looked at, and the budgets charged
  bool found = false;    ///< it hits some of them, or would: scope::found
  engine::coming_block block{};
};

/// Charges the event to this thread's limits and budgets, finds those that it hits, and marks those
/// whose token or deadline has passed. `may_call_out`: soft limits may be called here. `frame`: as
/// of engine::new_block.
charge check(engine::event const& e, bool may_call_out, void const* frame) noexcept;

/// Asks the predicate of a scope that is not pending, and marks the scope if it says yes.
void stop_by_predicate(engine::event const& e, scope& s) noexcept;

/// The event hits what it was found to hit. `coming`: its block, unless that is tracked already.
/// The thread's wakeup is set by what comes then: an attempt to deliver, a grant, a withdrawal.
void publish_hits(engine::event const& e, engine::coming_block const& coming) noexcept;

/// The same where its block was granted.
MEMPROF_INTERNAL_API void grant_hits(engine::event const& e) noexcept;

/// Takes back what the event was charged, here and in the engine: nobody gets the block.
MEMPROF_INTERNAL_API void withdraw(engine::event const& e, charge const& charged) noexcept;

/// Whether a token or deadline of this thread has passed, or a limit is hit; changes nothing.
bool any_pending() noexcept;

}  // namespace memprof::inline v0::detail
