// SPDX-License-Identifier: MIT
/// \file
/// From a signal handler back into the code that it interrupted, on x86-64. Elsewhere walks end
/// there.
#pragma once

#include <cstdint>

#include "callstack/step_rule.hpp"

namespace memprof::callstack {

namespace detail {
inline constexpr std::uintptr_t registers_in_context = 40;  // uc_mcontext.gregs
}

/// `f` is the frame that a handler returns to, made by the kernel: its stack pointer is at the
/// ucontext_t with all registers. Makes it the interrupted frame, whose pc is not a return address:
/// it is given plus one, so that all are one more than an address within the code.
template <class Read>
bool interrupted_frame(frame& f, Read&& read) noexcept {
#if defined(__x86_64__)
  constexpr std::uintptr_t registers = detail::registers_in_context;
  constexpr std::uintptr_t rbp = registers + 8 * 10;
  constexpr std::uintptr_t rsp = registers + 8 * 15;
  constexpr std::uintptr_t rip = registers + 8 * 16;
  frame interrupted;
  if (!read(f.sp + rip, interrupted.pc) || !read(f.sp + rsp, interrupted.sp) ||
      !read(f.sp + rbp, interrupted.fp)) {
    return false;
  }
  interrupted.pc += 1;
  if (interrupted.sp % 8 != 0) return false;
  f = interrupted;
  return true;
#else
  static_cast<void>(f);
  static_cast<void>(read);
  return false;
#endif
}

inline bool interrupted_frame(frame& f) noexcept {
  return interrupted_frame(f, [](std::uintptr_t address, std::uintptr_t& word) {
    word = detail::word_at(address);
    return true;
  });
}

/// Where the kernel has kept the register with that number (of the tables, below 16), given the
/// stack pointer of the frame that the handler returns to.
constexpr std::uintptr_t place_of_register(std::uintptr_t sp, std::uint8_t number) noexcept {
  // rax rdx rcx rbx rsi rdi rbp rsp r8 ... r15, among the gregs
  constexpr std::uint8_t order[16] = {13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7};
  return sp + detail::registers_in_context + std::uintptr_t{8} * order[number & 15];
}

}  // namespace memprof::callstack
