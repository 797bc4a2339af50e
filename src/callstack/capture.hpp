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

/// Return addresses of the calling thread's stack, innermost first. An address less one lies in the
/// call; of code that a signal interrupted it is the address of the next instruction to run, plus
/// one.
///
/// into        takes the innermost into.size() frames.
/// frame       frames at and below it are left out, our own: __builtin_frame_address(0) of the
///             function by which the program came in. Null: only capture's own frame is.
/// returns     the number of frames taken.
/// threads     any, from any code, in signal handlers, on stacks of fibers; allocates nothing,
/// takes
///             no lock, never reads outside mapped stack.
std::size_t capture(std::span<std::uintptr_t> into, void const* frame) noexcept;

/// Reads MEMPROF_CALLSTACK and MEMPROF_CALLSTACK_DEPTH; says in `error` what is wrong with them.
/// They are in force in any case: what is malformed leaves the default.
void read_settings(base::setting_error& error) noexcept;

}  // namespace memprof::callstack
