// SPDX-License-Identifier: MIT
/// \file
/// From a signal handler back into the code that it interrupted, on x86-64. Elsewhere walks end
/// there.
#pragma once

#include <cstdint>

#include "callstack/step_rule.hpp"

namespace memprof::callstack {

/// `f` is the frame that a handler returns to, made by the kernel: its stack pointer is at the
/// ucontext_t with all registers. Makes it the interrupted frame, whose pc is not a return address:
/// it is given plus one, so that all are one more than an address within the code.
template <class Read>
bool interrupted_frame(frame& f, Read&& read) noexcept {
#if defined(__x86_64__)
  constexpr std::uintptr_t registers = 40;  // uc_mcontext.gregs
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

}  // namespace memprof::callstack
