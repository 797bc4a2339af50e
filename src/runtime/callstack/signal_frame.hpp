// SPDX-License-Identifier: MIT
/// \file
/// From a signal handler back into the code that it interrupted, on x86-64 and AArch64. Elsewhere
/// walks end there.
#pragma once

#include <cstdint>
#include <cstring>

#include "callstack/readable_stack.hpp"
#include "callstack/step_rule.hpp"

namespace memprof::callstack {

namespace detail {
#if defined(__aarch64__)
// siginfo_t, ucontext_t up to uc_mcontext.regs; behind x30 come sp and pc.
inline constexpr std::uintptr_t registers_in_context = 128 + 176 + 8;
#else
inline constexpr std::uintptr_t registers_in_context = 40;  // uc_mcontext.gregs
#endif
}  // namespace detail

/// Whether a handler that returns to `pc` returns to the kernel, where no table says so: AArch64's
/// kernels have none for `mov x8, #139; svc #0` (rt_sigreturn).
inline bool returns_from_handler([[maybe_unused]] std::uintptr_t pc) noexcept {
#if defined(__aarch64__)
  constexpr std::uint32_t expected[2] = {0xd2801168, 0xd4000001};
  std::uint32_t code[2];
  if (pc % 4 != 0 || !is_readable(pc) || !is_readable(pc + 7)) return false;
  std::memcpy(code, reinterpret_cast<void const*>(pc), sizeof code);
  return code[0] == expected[0] && code[1] == expected[1];
#else
  return false;
#endif
}

/// `f` is the frame that a handler returns to, made by the kernel: its stack pointer is at the
/// ucontext_t with all registers (on AArch64 a siginfo_t lies before that). Makes it the
/// interrupted frame, whose pc is not a return address: it is given plus one, so that all are one
/// more than an address within the code.
template <class Read>
bool interrupted_frame(frame& f, Read&& read) noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
  constexpr std::uintptr_t registers = detail::registers_in_context;
#if defined(__x86_64__)
  constexpr std::uintptr_t fp = registers + 8 * 10;
  constexpr std::uintptr_t sp = registers + 8 * 15;
  constexpr std::uintptr_t pc = registers + 8 * 16;
#else
  constexpr std::uintptr_t fp = registers + 8 * 29;
  constexpr std::uintptr_t sp = registers + 8 * 31;
  constexpr std::uintptr_t pc = registers + 8 * 32;
#endif
  frame interrupted;
  if (!read(f.sp + pc, interrupted.pc) || !read(f.sp + sp, interrupted.sp) ||
      !read(f.sp + fp, interrupted.fp)) {
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

/// Where the kernel has kept the register with that number (of the tables, below
/// general_registers), given the stack pointer of the frame that the handler returns to.
constexpr std::uintptr_t place_of_register(std::uintptr_t sp, std::uint8_t number) noexcept {
#if defined(__aarch64__)
  return sp + detail::registers_in_context + std::uintptr_t{8} * number;
#else
  // rax rdx rcx rbx rsi rdi rbp rsp r8 ... r15, among the gregs
  constexpr std::uint8_t order[16] = {13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7};
  return sp + detail::registers_in_context + std::uintptr_t{8} * order[number & 15];
#endif
}

}  // namespace memprof::callstack
