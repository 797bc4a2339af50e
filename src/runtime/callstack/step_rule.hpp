// SPDX-License-Identifier: MIT
/// \file
/// How to get from one frame to its caller: the call frame information of one pc.
///
/// Only the pc, the stack pointer and the frame pointer (rbp, x29) are recovered: no compiler's
/// code finds its frame through another register at a call. What needs more (a signal frame,
/// hand-written tables) is not understood here.
#pragma once

#include <cstdint>

#include "callstack/procedure.hpp"
#include "callstack/processor.hpp"

namespace memprof::callstack {

/// The canonical frame address (CFA) is the caller's stack pointer.
enum class cfa_from : std::uint8_t {
  nothing,  ///< not understood
  sp,       ///< CFA = sp + cfa_offset
  fp,       ///< CFA = fp + cfa_offset
  at_fp,    ///< CFA = *(fp + cfa_offset): a frame that realigned its stack
  other  ///< CFA = register `cfa_register` + cfa_offset: for interrupted code, known from outside
};

/// Where the caller's frame pointer is.
enum class fp_in : std::uint8_t {
  fp,        ///< still there
  at_cfa,    ///< *(CFA + fp_offset)
  at_fp,     ///< *(fp + fp_offset)
  nowhere,   ///< lost
  with_link  ///< AArch64, interrupted code: still there, as is the return address in x30
};

/// 12 bytes, so that it fits a cache entry.
struct step_rule {
  std::int32_t cfa_offset = 0;
  std::int32_t fp_offset = 0;  ///< AArch64: the return address is in the word above
  cfa_from cfa = cfa_from::nothing;
  fp_in fp = fp_in::fp;
  bool outermost = false;         ///< the return address is undefined: there is no caller
  std::uint8_t cfa_register = 0;  ///< for cfa_from::other

  [[nodiscard]] constexpr bool understood() const noexcept {
    return cfa != cfa_from::nothing && cfa != cfa_from::other && fp != fp_in::with_link;
  }
};

/// The rule that `p` gives for `pc` (a return address minus one); not understood() if there is
/// none. Pure; reads the tables only. Some hundreds of nanoseconds.
step_rule rule_at(procedure const& p, std::uintptr_t pc) noexcept;

namespace detail {
// The words read are saved registers, which no sanitizer knows as variables.
__attribute__((no_sanitize("address", "thread"))) inline std::uintptr_t word_at(
    std::uintptr_t address) noexcept {
  return *reinterpret_cast<std::uintptr_t const volatile*>(address);
}
inline std::uintptr_t plus(std::uintptr_t from, std::int32_t offset) noexcept {
  return from + static_cast<std::uintptr_t>(std::intptr_t{offset});
}
}  // namespace detail

/// The caller's frame. False at the outermost frame, if something cannot be read, and if the stack
/// pointer would not move up, as in damaged frames. `cfa` is set whenever it is known.
///
/// \param read read(address, word&): false if the stack cannot be read there.
template <class Read>
bool step(step_rule rule, frame& f, std::uintptr_t& cfa, Read&& read) noexcept {
  using detail::plus;
  // Every frame found through fp lies above the stack pointer.
  const bool through_fp =
      rule.cfa == cfa_from::fp || rule.cfa == cfa_from::at_fp || rule.fp == fp_in::at_fp;
  if (through_fp && (f.fp < f.sp || f.fp % 8 != 0)) return false;
  if (!rule.understood()) return false;
  const std::uintptr_t from = rule.cfa == cfa_from::sp ? f.sp : f.fp;
  cfa = plus(from, rule.cfa_offset);
  if (rule.cfa == cfa_from::at_fp && !read(cfa, cfa)) return false;
  if (rule.outermost || cfa <= f.sp || cfa % 8 != 0) return false;
  std::uintptr_t fp = f.fp;
  if (rule.fp == fp_in::at_cfa) {
    if (!read(plus(cfa, rule.fp_offset), fp)) return false;
  } else if (rule.fp == fp_in::at_fp) {
    if (!read(plus(f.fp, rule.fp_offset), fp)) return false;
  } else if (rule.fp == fp_in::nowhere) {
    fp = 0;
  }
  f.fp = fp;
  if constexpr (detail::return_address_below_cfa) {
    if (!read(cfa - 8, f.pc)) return false;
  } else {
    if (!read(plus(cfa, rule.fp_offset) + 8, f.pc)) return false;
    f.pc = detail::without_signature(f.pc);
  }
  f.sp = cfa;
  return f.pc != 0;
}

/// The same in readable stack, as it is if the rule was made from the tables of the code that runs.
inline bool step(step_rule rule, frame& f, std::uintptr_t& cfa) noexcept {
  return step(rule, f, cfa, [](std::uintptr_t address, std::uintptr_t& word) {
    word = detail::word_at(address);
    return true;
  });
}

}  // namespace memprof::callstack
