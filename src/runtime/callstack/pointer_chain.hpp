// SPDX-License-Identifier: MIT
/// \file
/// The chain of saved frame pointers, whatever the code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "callstack/processor.hpp"
#include "callstack/readable_stack.hpp"
#include "callstack/walk_counters.hpp"

namespace memprof::callstack {

class pointer_chain {
 public:
  explicit pointer_chain(frame const& from) noexcept
      : f_(from), next_(from.pc != 0 ? next::caller : next::outermost), stack_{from.sp} {}

  /// Takes frames until `into` is full or the chain ends.
  std::size_t take(std::span<std::uintptr_t> into) noexcept {
    std::size_t count = 0;
    frame f = f_;  // in registers
    while (count < into.size() && next_ == next::caller) {
      into[count++] = f.pc;
      next_ = advance(f);
    }
    f_ = f;
    frames_ += count;
    return count;
  }
  [[nodiscard]] bool goes_on() const noexcept { return next_ == next::caller; }
  /// Counts the stack, when all frames were taken.
  void finish() const noexcept {
    count_walk({.by_frame_pointer = static_cast<std::uint32_t>(frames_), .by_tables = 0},
               next_ == next::lost);
  }

 private:
  enum class next : std::uint8_t { caller, outermost, lost };

  [[gnu::always_inline]] next advance(frame& f) noexcept {
    std::uintptr_t above;
    std::uintptr_t pc;
    if (f.fp == 0) return next::outermost;
    if (!stack_.read(f.fp, above) || !stack_.read(f.fp + 8, pc)) return next::lost;
    if (above != 0 && above <= f.fp) return next::lost;
    if (pc == 0) return next::outermost;
    f.pc = detail::without_signature(pc);
    f.fp = above;
    return f.pc < 4096 || f.pc >> 48 != 0 ? next::lost : next::caller;
  }

  frame f_;
  next next_;
  std::size_t frames_ = 0;
  readable_stack stack_;
};

}  // namespace memprof::callstack
