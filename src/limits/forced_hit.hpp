// SPDX-License-Identifier: MIT
/// \file
/// Limits that are hit by decree: interruption testing asks for an interrupt at a place.
#pragma once

namespace memprof::inline v0::detail {

struct scope;

/// The innermost limit of this thread counts as hit, and its interrupt is due at the next delivery
/// point, whatever grace or back-off was running. False if no limit runs on this thread.
bool force_hit() noexcept;

/// The same for a scope of this thread.
void force_hit(scope& s) noexcept;

/// A limit of this thread was hit, or forced again, and no interrupt was raised since.
bool any_undelivered() noexcept;

}  // namespace memprof::inline v0::detail
