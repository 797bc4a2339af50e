// SPDX-License-Identifier: MIT
/// \file
/// Interned stacks: each different one is kept once, and has a number.
#pragma once

#include <cstdint>
#include <span>

namespace memprof::callstack {

/// 0: the empty stack.
using stack_id = std::uint32_t;

/// The number of this stack, the same for the same frames. 0 also if there is no memory (counted).
/// threads     any, lock-free. Stacks are kept for the rest of the process.
stack_id intern(std::span<std::uintptr_t const> frames) noexcept;

[[nodiscard]] std::span<std::uintptr_t const> frames_of(stack_id id) noexcept;

}  // namespace memprof::callstack
