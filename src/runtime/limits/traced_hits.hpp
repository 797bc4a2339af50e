// SPDX-License-Identifier: MIT
/// \file
/// The trace ids of the last limits that were hit, one for each kind.
#pragma once

#include "memprof/interrupted.hpp"

namespace memprof::inline v0::detail {

/// This thread, which has a trace id, has hit a limit. If another thread notes a hit of this kind
/// at the same time, one of the two is not noted.
///
/// \note Threads: any, inside malloc, in signal handlers: waits for nothing, allocates nothing.
/// \note Cost: reads the clock.
void note_traced_hit(limit_kind kind) noexcept;

}  // namespace memprof::inline v0::detail
