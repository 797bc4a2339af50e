// SPDX-License-Identifier: MIT
/// \file
/// Our code that was left without returning: a signal handler interrupted it and jumped out of it
/// (siglongjmp), or a function of a tracker did (longjmp).
///
/// Nobody says so when a jump happens, and the thread stays muted by an object that is gone. It is
/// noticed by an allocation, after `muted_countdown` words at the latest, whose caller lies further
/// out on the thread's own stack than that object: nothing that the object's function calls could.
/// So a thread whose allocations all come from further in stays muted, and so does one that jumped
/// on the stack of a fiber, where addresses say nothing.
///
/// What is lost then: the block, its record and its slot (some 200 bytes), and what the thread
/// allocated meanwhile is not sampled.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"

#include "engine/thread_state.hpp"

namespace memprof::engine {

/// The same of a thread that is muted.
MEMPROF_INTERNAL_API bool is_still_muted(void const* frame, std::int64_t words) noexcept;

/// For an allocation whose countdown ran out, before its event: whether this thread is muted, so
/// that the allocation is not ours to see. Ends a muting that was left by a jump.
///
/// \param frame of the function by which the program entered memprof.
/// \param words that were subtracted from the countdown.
/// \note Cost: a load and a comparison, if it is not.
inline bool is_muted(void const* frame, std::int64_t words) noexcept {
  return current.muted > 0 && is_still_muted(frame, words);
}

/// Called on a thread that is not muted by an abandoned object any more, but by itself: to reset
/// what the code that was left has half done. Each function once, however often it is registered;
/// up to 16.
bool on_left_by_jump(void (*handler)()) noexcept;

}  // namespace memprof::engine
