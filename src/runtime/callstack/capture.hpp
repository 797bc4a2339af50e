// SPDX-License-Identifier: MIT
/// \file
/// Taking the call stack of a sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "memprof/detail/export.hpp"

#include "base/base.hpp"

namespace memprof::callstack {

/// The most frames that are ever taken.
inline constexpr std::size_t largest_stack = 4096;

/// Provides a larger buffer for a stack that does not fit the first one. Most fit, so no memory
/// has to be found for those.
struct far_room {
  /// Larger than the first; any other size means that there is none.
  std::span<std::uintptr_t> (*get)(void* context) noexcept = nullptr;
  void* context = nullptr;
};

/// Return addresses of the calling thread's stack, innermost first. An address less one lies in the
/// call; of code that a signal interrupted it is the address of the next instruction to run, plus
/// one.
///
/// \param near takes the stack if it fits, or if there is no larger buffer.
/// \param most how many innermost frames to take.
/// \param frame frames at and below it are left out, our own: __builtin_frame_address(0) of the
///   function by which the program entered memprof. Null: only capture's own frame is. Innermost
///   frames of code that left_out.hpp knows of are left out, too.
/// \param far called at most once, if `most` is more than near.size().
/// \return the frames taken: the first places of `near`, or of the buffer from `far`.
/// \note Threads: any, from any code, in signal handlers, on stacks of fibers; allocates nothing
///   (of a thread whose end will be noticed, the first walk maps memory), takes no lock, never
///   reads outside mapped stack.
MEMPROF_INTERNAL_API std::span<std::uintptr_t> capture(std::span<std::uintptr_t> near,
                                                       std::size_t most, void const* frame,
                                                       far_room far) noexcept;

/// The same with a single buffer. Returns the number of frames taken, which begin in its first
/// place.
inline std::size_t capture(std::span<std::uintptr_t> into, void const* frame) noexcept {
  return capture(into, into.size(), frame, {}).size();
}

/// Reads MEMPROF_CALLSTACK and MEMPROF_CALLSTACK_DEPTH; `error` gets what is wrong with them.
/// A malformed one leaves its default; the other is in force all the same.
void read_settings(base::setting_error& error) noexcept;

}  // namespace memprof::callstack
