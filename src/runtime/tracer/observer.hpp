// SPDX-License-Identifier: MIT
/// \file
/// What the threads of a traced program do, inside malloc and free: push records, for a recorder
/// outside or for the writing thread.
#pragma once

#include "memprof/detail/export.hpp"

#include "records/records.hpp"

namespace memprof::tracer {

/// The observer of the slot `trace`, for the rest of the process. May be called again, by any
/// thread, also inside malloc.
void install_observer() noexcept;

/// Notes in the trace, if one is written, that the process began to end.
void exit_began() noexcept;

/// Notes in the trace, if one is written, a fault that a guarded block has shown; `headline` says
/// what, in less than 256 bytes. threads: any, signal-safe.
MEMPROF_INTERNAL_API void note_fault(char const* headline) noexcept;

/// In a forked child: memory that other threads had borrowed for a moment.
void forget_scratch() noexcept;

/// Pushes what was too late for a full ring, if there is room now.
void flush_late_events() noexcept;

/// For the writing thread, behind the last record of a trace: what did not fit into the ring.
void take_late_events(records::record_sink& to) noexcept;

/// When the process exits, pushes what was too late for a full ring.
void flush_late_at_exit() noexcept;

}  // namespace memprof::tracer
