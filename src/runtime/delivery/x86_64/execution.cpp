// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include "delivery/x86_64/execution.hpp"

#include <cstring>

namespace memprof::delivery::x86_64 {
namespace {

using form = operand::form;

value address_of(operand const& o, machine_state const& state) noexcept {
  if (o.opaque) return {};
  value sum = value::constant(static_cast<std::uint64_t>(o.value));
  if (o.index != no_register) {
    const value index = state.reg(o.index);
    if (!index.is_number()) return {};
    sum.bits += index.bits * o.scale;
  }
  if (o.base != no_register) {
    value base = state.reg(o.base);
    if (!base.is_number() && !base.is_place()) return {};
    if (base.is_number()) base.what = value::kind::constant;
    base.bits += sum.bits;
    return base;
  }
  return sum;
}

value load(operand const& o, module_code const& module, machine_state const& state) noexcept {
  const value address = address_of(o, state);
  if (address.what != value::kind::constant) return state.load(address, o.size);
  if (module.is_constant(address.bits, o.size)) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<void const*>(address.bits), o.size);
    return value::constant(bits);
  }
  return o.size == 8 ? value{value::kind::slot, address.bits} : value{};
}

void assign(operand const& to, value v, machine_state& state) noexcept {
  switch (to.kind) {
    case form::mem:
      state.store(address_of(to, state), to.size, truncated(v, to.size));
      break;
    case form::reg:
      if (to.size >= 4) {
        state.set_reg(to.reg, truncated(v, to.size));
      } else {
        // The rest of the register stays.
        const value before = state.reg(to.reg);
        const std::uint64_t low = to.size == 1 ? 0xff : 0xffff;
        const bool known = before.is_number() && v.is_number();
        state.set_reg(to.reg,
                      known ? value::constant((before.bits & ~low) | (v.bits & low)) : value{});
      }
      break;
    case form::high_byte:
      state.set_reg(to.reg, {});
      break;
    default:
      break;
  }
}

/// Result and flags of add .. cmp, test, inc, dec on numbers of `size` bytes.
std::uint64_t compute(op what, std::uint64_t a, std::uint64_t b, unsigned size,
                      flags& status) noexcept {
  const unsigned shift = 64 - 8 * size;  // so that the sign is the topmost bit
  a <<= shift;
  b <<= shift;
  std::uint64_t result = 0;
  bool carry = false;
  bool overflow = false;
  switch (what) {
    case op::add:
    case op::inc:
      result = a + b;
      carry = result < a;
      overflow = (~(a ^ b) & (a ^ result)) >> 63 != 0;
      break;
    case op::sub:
    case op::cmp:
    case op::dec:
      result = a - b;
      carry = a < b;
      overflow = ((a ^ b) & (a ^ result)) >> 63 != 0;
      break;
    case op::or_:
      result = a | b;
      break;
    case op::xor_:
      result = a ^ b;
      break;
    default:
      result = a & b;
      break;  // and, test
  }
  const bool keeps_carry = what == op::inc || what == op::dec;
  status.zero = result == 0;
  status.sign = result >> 63 != 0;
  status.overflow = overflow;
  if (!keeps_carry) status.carry = carry;
  status.carry_known = keeps_carry ? status.known && status.carry_known : true;
  status.known = true;
  return result >> shift;
}

void arithmetic(instruction const& i, module_code const& module, machine_state& state) noexcept {
  const unsigned size = i.to.size;
  const bool writes = i.what != op::cmp && i.what != op::test;
  const bool by_one = i.what == op::inc || i.what == op::dec;
  const value a = evaluate(i.to, module, state);
  const value b = by_one ? value::constant(1) : evaluate(i.from, module, state);
  const bool same = i.to.kind == form::reg && i.from.kind == form::reg && i.to.reg == i.from.reg;
  value result;
  if (i.what == op::adc || i.what == op::sbb) {
    state.status = {};
  } else if (same && (i.what == op::xor_ || i.what == op::sub)) {
    result = value::constant(compute(op::xor_, 0, 0, size, state.status));
  } else if (a.is_number() && b.is_number()) {
    result = value::constant(compute(i.what, a.bits, b.bits, size, state.status));
  } else {
    state.status = {};
    if (size == 8 && a.is_place() && b.is_number()) {
      if (i.what == op::add) result = {a.what, a.bits + b.bits};
      if (i.what == op::sub) result = {a.what, a.bits - b.bits};
    }
  }
  if (writes) assign(i.to, result, state);
}

void push(value v, machine_state& state) noexcept {
  value top = state.reg(rsp);
  if (top.is_place()) top.bits -= 8;
  state.set_reg(rsp, top);
  state.store(top, 8, v);
}

value pop(machine_state& state) noexcept {
  value top = state.reg(rsp);
  const value v = state.load(top, 8);
  if (top.is_place()) top.bits += 8;
  state.set_reg(rsp, top);
  return v;
}

void clobber(instruction const& i, machine_state& state) noexcept {
  for (std::uint8_t r = 0; r < 16; ++r) {
    if ((i.clobbers >> r & 1) != 0) state.set_reg(r, {});
  }
  if (!i.keeps_flags) state.status = {};
  if (i.writes_anything) state.forget_memory();
  if (i.writes_memory && i.to.kind == form::mem) {
    state.store(address_of(i.to, state), i.to.size, {});
  }
}

}  // namespace

value evaluate(operand const& o, module_code const& module, machine_state const& state) noexcept {
  switch (o.kind) {
    case form::reg:
      return truncated(state.reg(o.reg), o.size);
    case form::imm:
      return truncated(value::constant(static_cast<std::uint64_t>(o.value)), o.size);
    case form::mem:
      return load(o, module, state);
    default:
      return {};
  }
}

std::optional<bool> holds(flags const& s, std::uint8_t condition) noexcept {
  if (!s.known) return {};
  bool result = false;
  switch (condition >> 1) {
    case 0:
      result = s.overflow;
      break;
    case 1:
      if (!s.carry_known) return {};
      result = s.carry;
      break;
    case 2:
      result = s.zero;
      break;
    case 3:
      if (!s.carry_known) return {};
      result = s.carry || s.zero;
      break;
    case 4:
      result = s.sign;
      break;
    case 6:
      result = s.sign != s.overflow;
      break;
    case 7:
      result = s.zero || s.sign != s.overflow;
      break;
    default:
      return {};  // parity
  }
  return result != ((condition & 1) != 0);
}

void execute(instruction const& i, module_code const& module, machine_state& state) noexcept {
  switch (i.what) {
    case op::move:
    case op::move_zero_extended:
      assign(i.to, evaluate(i.from, module, state), state);
      break;
    case op::move_sign_extended:
      assign(i.to, sign_extended(evaluate(i.from, module, state), i.from.size), state);
      break;
    case op::load_address:
      assign(i.to, address_of(i.from, state), state);
      break;
    case op::push:
      push(evaluate(i.to, module, state), state);
      break;
    case op::pop:
      assign(i.to, pop(state), state);
      break;
    case op::leave:
      state.set_reg(rsp, state.reg(rbp));
      state.set_reg(rbp, pop(state));
      break;
    case op::set_if: {
      const std::optional<bool> known = holds(state.status, i.condition);
      assign(i.to, known ? value::constant(*known ? 1 : 0) : value{}, state);
      break;
    }
    case op::move_if: {
      // With 32 bits the upper half is cleared even if nothing is moved.
      const std::optional<bool> known = holds(state.status, i.condition);
      const operand& chosen = known && *known ? i.from : i.to;
      assign(i.to, known ? evaluate(chosen, module, state) : value{}, state);
      break;
    }
    case op::other:
      clobber(i, state);
      break;
    default:
      arithmetic(i, module, state);
      break;
  }
}

}  // namespace memprof::delivery::x86_64

#endif
