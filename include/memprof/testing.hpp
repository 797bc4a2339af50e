// SPDX-License-Identifier: MIT
/// \file
/// Interruption testing: does code stay right when an interrupt comes exactly here?
#pragma once

namespace memprof::testing {

/// From now on the innermost limit that runs on this thread counts as hit, and the next delivery
/// point of this thread raises its interrupt, if one may be raised there; no grace is waited for.
///
/// It works with every limit function and with budgets; of a budget it is this run that is hit. The
/// error's kind is the first that the limit names, in the order of `limit_kind`. On a limit that
/// was hit before it asks for one interrupt more.
///
/// throws      std::logic_error if no limit runs on this thread.
void force_interrupt();

/// True if a limit of this thread was hit (or forced) and its interrupt has not been raised since.
/// False outside any limit. Cost: some loads for each enclosing limit.
bool is_pending() noexcept;

}  // namespace memprof::testing
