// SPDX-License-Identifier: MIT
/// \file
/// Checks an event: what it charges, and which limits of this thread it hits.
#pragma once

#include "engine/engine.hpp"

namespace memprof::inline v0::detail {

/// Charges the event to this thread's limits and budgets and marks those that it hits, or whose
/// token or deadline has passed. `may_call_out`: soft limits may be called here. `frame`: as of
/// engine::new_block.
void check(engine::event const& e, bool may_call_out, void const* frame) noexcept;

/// Whether a token or deadline of this thread has passed, or a limit is hit; changes nothing.
bool any_pending() noexcept;

}  // namespace memprof::inline v0::detail
