// SPDX-License-Identifier: MIT
/// \file
/// What the engine must do when a thread switches to another stack and back.
///
/// Muting belongs to a flow of control: an allocation that is being decided, a callback. The
/// countdown belongs to the thread. So the flow that leaves hands over a thread muted once; the
/// flow that enters ends that as if it were its own event. It is the same on the way back:
///
///     resumer                          task
///     depth = leave_stack()
///     switch ------------------------> close_event(), or the end of the event it was paused in
///                                      ... counts and samples ...
///                                      an event is open (it pauses in it, or opens a last one)
///     return_to_stack(depth) <-------- switch
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"

namespace memprof::engine {

/// Settles what this thread has counted and leaves it muted once.
/// \return how deep this stack had muted it: 0 usually, more in a callback of the library.
MEMPROF_INTERNAL_API std::uint32_t leave_stack() noexcept;

/// Takes the thread back from the other stack, which has left it muted once.
MEMPROF_INTERNAL_API void return_to_stack(std::uint32_t depth) noexcept;

}  // namespace memprof::engine
