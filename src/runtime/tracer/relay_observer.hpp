// SPDX-License-Identifier: MIT
/// \file
/// What a recorded program's threads do, inside malloc and free: push records.
#pragma once

#include "memprof/detail/export.hpp"

#include "engine/engine.hpp"

namespace memprof::tracer {

/// For a process that a recorder outside records: trace_observer.hpp.
engine::observer const& relay_observer_functions() noexcept;

/// Tells the recorder, if there is one, that the process began to end.
void relay_exit_began() noexcept;

/// Tells the recorder, if there is one, of a fault that a guarded block has shown; `headline` says
/// what, in less than 256 bytes. threads: any, signal-safe.
MEMPROF_INTERNAL_API void relay_fault(char const* headline) noexcept;

/// For a thread that exits.
void give_back_spare_tag() noexcept;

/// This thread has left a push by a jump: left_by_jump.hpp.
void forget_sending() noexcept;

/// Pushes what was too late for a full ring, if there is room now.
void flush_late_events() noexcept;

/// When the process exits, pushes what was too late for a full ring.
void flush_late_at_exit() noexcept;

}  // namespace memprof::tracer
