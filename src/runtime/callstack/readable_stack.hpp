// SPDX-License-Identifier: MIT
/// \file
/// How far the stack above a frame can be read, for walks without unwind tables.
#pragma once

#include <cstdint>

#include "callstack/step_rule.hpp"

namespace memprof::callstack {

/// The readable stack [low, high) of one walk. The kernel confirms it, page by page as
/// the walk gets there. For the thread's own stack, which stays mapped as long as the thread runs,
/// the answer is kept. Stacks of fibers are checked in each walk: they may be gone in the next.
class readable_stack {
 public:
  readable_stack() noexcept = default;
  /// \param sp points into the stack in use.
  explicit readable_stack(std::uintptr_t sp) noexcept;

  /// The word at `address`; false if it is not above `low`, or the stack does not reach there.
  bool read(std::uintptr_t address, std::uintptr_t& word) noexcept {
    if (address % 8 != 0 || address < low_) return false;
    if (address >= high_ && !extend(address)) [[unlikely]]
      return false;
    word = detail::word_at(address);
    return true;
  }

  /// Continues on another stack, which a signal handler on a stack of its own interrupted.
  void move_to(std::uintptr_t sp) noexcept { *this = readable_stack{sp}; }

 private:
  [[gnu::noinline, gnu::cold]] bool extend(std::uintptr_t address) noexcept;

  std::uintptr_t low_ = 0;
  std::uintptr_t high_ = 0;
};

/// Whether `address`, of a frame that is or was in use, is on this thread's own stack. False in
/// doubt, and on the stacks of fibers and signal handlers.
bool is_on_own_stack(std::uintptr_t address) noexcept;

/// Whether a word can be read there. One system call, no side effects.
bool is_readable(std::uintptr_t address) noexcept;

}  // namespace memprof::callstack
