// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include <array>
#include <cstddef>

#include "delivery/aarch64_code.hpp"
#include "delivery/call_target.hpp"
#include "delivery/only_returns.hpp"

namespace memprof::delivery {
namespace {

using aarch64::op;

constexpr bool is(std::uint32_t code, std::uint32_t mask, std::uint32_t bits) noexcept {
  return (code & mask) == bits;
}

/// Changes nothing but registers and flags. A mode of the processor is set by instructions of the
/// system, of which only those are accepted here that do nothing or check an address.
constexpr bool stays_in_registers(std::uint32_t code) noexcept {
  return is(code, 0x1c000000, 0x10000000) ||  // data processing with an immediate
         is(code, 0x0e000000, 0x0a000000) ||  // data processing with registers
         is(code, 0x3a400000, 0x28400000) ||  // ldp
         is(code, 0x3bc00000, 0x39400000) ||  // ldr x, [y, #]
         is(code, 0x3be00c00, 0x38400400) ||  // ldr x, [y], #
         is(code, 0xfffff01f, 0xd503201f);    // nop, autiasp, bti
}

}  // namespace

bool only_returns(module_code const& module, callstack::procedure const& p,
                  std::uintptr_t address) noexcept {
  constexpr unsigned most_instructions = 64;
  std::array<std::uintptr_t, 8> waiting;  // the other sides of branches
  std::size_t waiting_count = 0;
  std::uintptr_t at = address;
  for (unsigned n = 0; n < most_instructions; ++n) {
    if (at < p.begin || at >= p.end || module.code_at(at) < aarch64::instruction_size) return false;
    const std::uint32_t code = aarch64::word_at(at);
    const aarch64::instruction i = aarch64::decode(code, at);
    bool path_ends = false;
    switch (i.what) {
      case op::ret:
        path_ends = true;
        break;
      case op::call:  // of the check of the stack, which fails in a broken program only
        if (i.target == 0 || target_at(module, i.target).function != runtime_function::ignored) {
          return false;
        }
        path_ends = true;
        break;
      case op::jump:
        if (i.target == 0) return false;
        at = i.target;
        continue;
      case op::jump_if:
        if (waiting_count == waiting.size()) return false;
        waiting[waiting_count++] = i.target;
        break;
      case op::trap:
        return false;
      case op::other:
        if (!stays_in_registers(code)) return false;
        break;
    }
    if (!path_ends) {
      at += aarch64::instruction_size;
      continue;
    }
    if (waiting_count == 0) return true;
    at = waiting[--waiting_count];
  }
  return false;
}

}  // namespace memprof::delivery

#endif
