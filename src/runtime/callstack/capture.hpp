// SPDX-License-Identifier: MIT
/// \file
/// Taking the call stack of a sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/base.hpp"

namespace memprof::callstack {

/// The most frames that are ever taken.
inline constexpr std::size_t largest_stack = 4096;

/// Room for a stack that does not end in the first one: for most, that one is enough, and no memory
/// has to be found for them.
struct far_room {
  /// Larger than the first; or anything else if there is none.
  std::span<std::uintptr_t> (*get)(void* context) noexcept = nullptr;
  void* context = nullptr;
};

/// Return addresses of the calling thread's stack, innermost first. An address less one lies in the
/// call; of code that a signal interrupted it is the address of the next instruction to run, plus
/// one.
///
/// near        takes the stack if it ends there, or if there is no more.
/// most        frames that are wanted, the innermost.
/// frame       frames at and below it are left out, our own: __builtin_frame_address(0) of the
///             function by which the program came in. Null: only capture's own frame is.
/// far         called at most once, if `most` is more than near.size().
/// returns     the frames taken: a part of `near`, or of what `far` gave.
/// threads     any, from any code, in signal handlers, on stacks of fibers; allocates nothing (of a
///             thread whose end will be noticed, the first walk maps memory), takes no lock, never
///             reads outside mapped stack.
std::span<std::uintptr_t> capture(std::span<std::uintptr_t> near, std::size_t most,
                                  void const* frame, far_room far) noexcept;

/// The same with a single buffer. Returns the number of frames taken.
inline std::size_t capture(std::span<std::uintptr_t> into, void const* frame) noexcept {
  return capture(into, into.size(), frame, {}).size();
}

/// Reads MEMPROF_CALLSTACK and MEMPROF_CALLSTACK_DEPTH; says in `error` what is wrong with them.
/// They are in force in any case: what is malformed leaves the default.
void read_settings(base::setting_error& error) noexcept;

}  // namespace memprof::callstack
