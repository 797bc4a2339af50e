// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include "delivery/aarch64/code.hpp"
#include "delivery/reader/only_returns.hpp"

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

return_step return_step_at(module_code const& module, std::uintptr_t address) noexcept {
  using kind = return_step::kind;
  constexpr unsigned length = aarch64::instruction_size;
  if (module.code_at(address) < length) return {};
  const std::uint32_t code = aarch64::word_at(address);
  const aarch64::instruction i = aarch64::decode(code, address);
  switch (i.what) {
    case op::ret:
      return {kind::returns, length, 0};
    case op::call:  // through a register: of somebody unknown
      return {i.target == 0 ? kind::more : kind::calls, length, i.target};
    case op::jump:
      return {i.target == 0 ? kind::more : kind::jumps, length, i.target};
    case op::jump_if:
      return {kind::branches, length, i.target};
    case op::trap:
      return {};
    case op::other:
      return {stays_in_registers(code) ? kind::stays : kind::more, length, 0};
  }
  return {};
}

}  // namespace memprof::delivery

#endif
