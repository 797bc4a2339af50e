// SPDX-License-Identifier: MIT
/// \file
/// How to get from one frame to its caller: the call frame information of one pc, x86-64.
///
/// Only rip, rsp and rbp are recovered: no compiler's code finds its frame through another
/// register at a call. What needs more (a PLT stub, a signal frame, hand-written tables) is not
/// understood, and the walk ends there.
#pragma once

#include <cstdint>

#include "callstack/procedure.hpp"

namespace memprof::callstack {

/// The canonical frame address (CFA) is the caller's rsp.
enum class cfa_from : std::uint8_t {
  nothing,  ///< not understood
  rsp,      ///< CFA = rsp + cfa_offset
  rbp,      ///< CFA = rbp + cfa_offset
  at_rbp    ///< CFA = *(rbp + cfa_offset): a frame that realigned its stack
};

/// Where the caller's rbp is.
enum class rbp_in : std::uint8_t {
  rbp,     ///< still there
  at_cfa,  ///< *(CFA + rbp_offset)
  at_rbp,  ///< *(rbp + rbp_offset)
  nowhere  ///< lost
};

/// 12 bytes, so that it fits a cache entry.
struct step_rule {
  std::int32_t cfa_offset = 0;
  std::int32_t rbp_offset = 0;
  cfa_from cfa = cfa_from::nothing;
  rbp_in rbp = rbp_in::rbp;
  bool outermost = false;  ///< the return address is undefined: there is no caller

  [[nodiscard]] bool understood() const noexcept { return cfa != cfa_from::nothing; }
};

/// The rule that `p` gives for `pc` (a return address minus one); not understood() if there is
/// none. Pure; reads the tables only. Some hundreds of nanoseconds.
step_rule rule_at(procedure const& p, std::uintptr_t pc) noexcept;

/// A frame: where it goes on when what it called returns.
struct frame {
  std::uintptr_t pc = 0;   ///< return address into it
  std::uintptr_t rsp = 0;  ///< as it will be then
  std::uintptr_t rbp = 0;
};

namespace detail {
// The words read are saved registers, which no sanitizer knows as variables.
__attribute__((no_sanitize("address", "thread"))) inline std::uintptr_t word_at(
    std::uintptr_t address) noexcept {
  return *reinterpret_cast<std::uintptr_t const volatile*>(address);
}
inline std::uintptr_t plus(std::uintptr_t base, std::int32_t offset) noexcept {
  return base + static_cast<std::uintptr_t>(std::intptr_t{offset});
}
}  // namespace detail

/// The caller's frame, which must be in readable stack, as it is if the rule was made from the
/// tables of the code that runs. False at the outermost frame, and if the stack pointer would not
/// move up, as damaged frames would have it. `cfa` is set whenever it is known.
inline bool step(step_rule rule, frame& f, std::uintptr_t& cfa) noexcept {
  using detail::plus;
  using detail::word_at;
  // Whatever is found through rbp lies above the stack pointer.
  const bool through_rbp =
      rule.cfa == cfa_from::rbp || rule.cfa == cfa_from::at_rbp || rule.rbp == rbp_in::at_rbp;
  if (through_rbp && (f.rbp < f.rsp || f.rbp % 8 != 0)) return false;
  if (rule.cfa == cfa_from::nothing) return false;
  const std::uintptr_t base = rule.cfa == cfa_from::rsp ? f.rsp : f.rbp;
  cfa = plus(base, rule.cfa_offset);
  if (rule.cfa == cfa_from::at_rbp) cfa = word_at(cfa);
  if (rule.outermost || cfa <= f.rsp || cfa % 8 != 0) return false;
  if (rule.rbp == rbp_in::at_cfa) {
    f.rbp = word_at(plus(cfa, rule.rbp_offset));
  } else if (rule.rbp == rbp_in::at_rbp) {
    f.rbp = word_at(plus(f.rbp, rule.rbp_offset));
  } else if (rule.rbp == rbp_in::nowhere) {
    f.rbp = 0;
  }
  f.pc = word_at(cfa - 8);
  f.rsp = cfa;
  return f.pc != 0;
}

}  // namespace memprof::callstack
