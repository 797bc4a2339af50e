// SPDX-License-Identifier: MIT
/// \file
/// The tracer on the program's threads, inside malloc and free.
#pragma once

#include "engine/engine.hpp"

namespace memprof::tracer {

/// For a process that writes a trace itself: trace_observer.hpp.
engine::observer const& observer_functions() noexcept;

/// Notes in the trace, if one is written, that the process began to end.
void exit_began() noexcept;

/// This thread has left a push by a jump: left_by_jump.hpp.
void forget_enqueuing() noexcept;

/// In a forked child: memory that other threads had borrowed for a moment.
void forget_scratch() noexcept;

}  // namespace memprof::tracer
