// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include "delivery/x86_64/processor.hpp"

#include <cstring>

namespace memprof::delivery::x86_64 {

std::optional<bool> processor::is_taken(instruction const& branch, values& v) noexcept {
  if (branch.what == op::jump_if) return holds(v.status, branch.condition);
  v.set_reg(rcx, {});  // counted down
  return {};
}

destination processor::destination_of(instruction const& i, module_code const& module,
                                      values const& v) noexcept {
  if (i.target != 0) return {.address = i.target};
  const value to = evaluate(i.to, module, v);
  if (to.what == value::kind::slot) return {.slot = to.bits};
  return {.address = to.is_number() ? to.bits : 0};
}

destination processor::destination_of(instruction const& i, run_values const& /*v*/) noexcept {
  if (i.target != 0) return {.address = i.target};
  const bool names_slot = i.to.kind == operand::form::mem && i.to.base == no_register &&
                          i.to.index == no_register && !i.to.opaque;
  return {.slot = names_slot ? static_cast<std::uintptr_t>(i.to.value) : 0};
}

// endbr64? (bnd) jmp *slot(%rip)
std::uintptr_t processor::slot_of_stub(module_code const& module, std::uintptr_t address) noexcept {
  instruction i;
  if (!decode(module, address, i)) return 0;
  if (i.length == 4 &&
      std::memcmp(reinterpret_cast<void const*>(address), "\xf3\x0f\x1e\xfa", 4) == 0) {
    if (!decode(module, address + i.length, i)) return 0;
  }
  return i.what == op::jump ? destination_of(i, run_values{}).slot : 0;
}

bool processor::stays_in_registers(instruction const& i) noexcept {
  using form = operand::form;
  switch (i.what) {
    case op::cmp:
    case op::test:
    case op::leave:
      return true;
    case op::push:
      return false;
    case op::other:  // nops, and computations with vectors
      return i.keeps_flags && i.to.kind == form::none && i.clobbers == 0 && !i.writes_memory &&
             !i.writes_anything;
    default:
      return i.to.kind == form::reg || i.to.kind == form::high_byte;
  }
}

}  // namespace memprof::delivery::x86_64

#endif
