// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include "delivery/aarch64/processor.hpp"

namespace memprof::delivery::aarch64 {

bool processor::decode(module_code const& module, std::uintptr_t address, instruction& i) noexcept {
  if (address % instruction::length != 0 || module.code_at(address) < instruction::length) {
    return false;
  }
  i = aarch64::decode(word_at(address), address);
  return true;
}

control processor::control_of(instruction const& i) noexcept {
  switch (i.what) {
    case op::call:
      return control::call;
    case op::jump:
      return control::jump;
    case op::jump_if:
      return control::branch;
    case op::ret:
      return control::ret;
    case op::trap:
      return control::trap;
    case op::other:
      break;
  }
  return control::next;
}

destination processor::destination_of(instruction const& i, run_values const& v) noexcept {
  if (i.target != 0) return {.address = i.target};
  const known_registers::contents c = v.in(i.through);
  if (c.what == known_registers::contents::kind::address) return {.address = c.bits};
  if (c.what == known_registers::contents::kind::in_slot) return {.slot = c.bits};
  return {};
}

// bti? adrp x16, page; ldr x17, [x16, #]; add x16, x16, #; (autia)? br x17
std::uintptr_t processor::slot_of_stub(module_code const& module, std::uintptr_t address) noexcept {
  known_registers registers;
  registers.forget();
  std::uintptr_t slot = 0;  // as autia1716 changes the register
  for (int n = 0; n < 6; ++n, address += instruction::length) {
    instruction i;
    if (!decode(module, address, i)) return 0;
    if (i.what == op::jump && i.target == 0) return i.through == 17 ? slot : 0;
    if (i.what != op::other) return 0;
    registers.execute(i.code, i.address);
    const auto loaded = registers.in(17);
    if (loaded.what == known_registers::contents::kind::in_slot) slot = loaded.bits;
  }
  return 0;
}

// A mode of the processor is set by instructions of the system, of which only those are accepted
// here that do nothing or check an address.
bool processor::stays_in_registers(instruction const& i) noexcept {
  return is(i.code, 0x1c000000, 0x10000000) ||  // data processing with an immediate
         is(i.code, 0x0e000000, 0x0a000000) ||  // data processing with registers
         is(i.code, 0x3a400000, 0x28400000) ||  // ldp
         is(i.code, 0x3bc00000, 0x39400000) ||  // ldr x, [y, #]
         is(i.code, 0x3be00c00, 0x38400400) ||  // ldr x, [y], #
         is(i.code, 0xfffff01f, 0xd503201f);    // nop, autiasp, bti
}

}  // namespace memprof::delivery::aarch64

#endif
