// SPDX-License-Identifier: MIT
/// \file
/// Interruption testing injects an interrupt: a limit counts as hit at a chosen allocation.
#pragma once

namespace memprof::inline v0::detail {

struct scope;

/// Makes the innermost limit of this thread count as hit; its interrupt is due at the next delivery
/// point, without any grace or back-off. False if no limit runs on this thread.
bool inject_interrupt() noexcept;

/// The same for a scope of this thread.
void inject_interrupt(scope& s) noexcept;

/// Whether a limit of this thread was hit, or injected again, and no interrupt was raised since.
bool any_undelivered() noexcept;

}  // namespace memprof::inline v0::detail
