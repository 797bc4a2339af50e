// SPDX-License-Identifier: MIT
/// \file
/// Code that call stacks do not show: what they would begin with, and who calls `main`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "memprof/detail/export.hpp"

namespace memprof::callstack {

/// Ranges that are kept. A copy of the library in the process has nine.
inline constexpr std::size_t most_left_out = 36;

/// From now on, innermost frames that return into [begin, end) are left out of captured stacks.
/// The code must stay loaded. A range that was given before, and one more than most_left_out, are
/// ignored.
///
/// \note Threads: any, in any order; lock-free.
MEMPROF_INTERNAL_API void leave_out(void const* begin, void const* end) noexcept;

/// From now on the frame that returns into [begin, end) is left out of captured stacks, if it is
/// one of the outermost few: who calls `main`.
void leave_out_caller_of_main(void const* begin, void const* end) noexcept;

/// How many innermost frames of `stack` are left out.
std::size_t count_left_out(std::span<std::uintptr_t const> stack) noexcept;

/// `stack` without the frame of who calls `main`, which is taken out of it.
std::span<std::uintptr_t> without_caller_of_main(std::span<std::uintptr_t> stack) noexcept;

}  // namespace memprof::callstack
