// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include "delivery/x86_64/decoder.hpp"

#include "delivery/x86_64/clobbers.hpp"
#include "delivery/x86_64/encoding.hpp"

namespace memprof::delivery::x86_64 {
namespace {

operand register_operand(encoding const& f, std::uint8_t number, unsigned size) noexcept {
  operand o;
  o.kind = operand::form::reg;
  o.size = static_cast<std::uint8_t>(size);
  o.reg = number;
  if (size == 1 && !f.rex && number >= 4) {
    o.kind = operand::form::high_byte;
    o.reg = number & 3;
  }
  return o;
}

operand rm_operand(encoding const& f, unsigned size, std::uint64_t end) noexcept {
  if (f.mod == 3) return register_operand(f, f.rm, size);
  operand o;
  o.kind = operand::form::mem;
  o.size = static_cast<std::uint8_t>(size);
  o.base = f.base;
  o.index = f.index;
  o.scale = f.scale;
  o.opaque = f.segment || f.address_32 || f.kind == prefix::evex;
  o.value = f.displacement;
  if (f.rip_relative) o.value = static_cast<std::int64_t>(end) + f.displacement;
  return o;
}

operand immediate_operand(encoding const& f, unsigned size) noexcept {
  operand o;
  o.kind = operand::form::imm;
  o.size = static_cast<std::uint8_t>(size);
  o.value = f.immediate;
  return o;
}

/// An instruction under construction: what it does, to what, from what.
class builder {
 public:
  builder(encoding const& f, std::uint64_t address, instruction& i) noexcept
      : f_(f), end_(address + f.length), i_(i) {}

  /// Operand size by the lowest bit of the opcode: a byte, or what prefixes say.
  [[nodiscard]] unsigned size() const noexcept {
    return (f_.opcode & 1) == 0 ? 1U : f_.operand_size();
  }
  [[nodiscard]] operand rm(unsigned size) const noexcept { return rm_operand(f_, size, end_); }
  [[nodiscard]] operand reg(unsigned size) const noexcept {
    return register_operand(f_, f_.reg, size);
  }
  /// The register that is part of the opcode.
  [[nodiscard]] operand short_reg(unsigned size) const noexcept {
    return register_operand(f_, f_.rm, size);
  }
  [[nodiscard]] operand accumulator(unsigned size) const noexcept {
    return register_operand(f_, rax, size);
  }
  [[nodiscard]] operand immediate(unsigned size) const noexcept {
    return immediate_operand(f_, size);
  }

  void set(op what, operand const& to = {}, operand const& from = {}) noexcept {
    i_.what = what;
    i_.to = to;
    i_.from = from;
  }
  void branch(op what) noexcept {
    i_.what = what;
    i_.target = end_ + static_cast<std::uint64_t>(f_.immediate);
    i_.condition = f_.opcode & 15;
  }
  void nothing() noexcept {
    i_.what = op::other;
    i_.keeps_flags = true;
  }

 private:
  encoding const& f_;
  std::uint64_t end_;
  instruction& i_;
};

/// add .. cmp in their six forms: 00 .. 3f.
void arithmetic(encoding const& f, builder& b) noexcept {
  const op what = static_cast<op>(f.opcode >> 3);
  const unsigned size = b.size();
  switch (f.opcode & 7) {
    case 0:
    case 1:
      return b.set(what, b.rm(size), b.reg(size));
    case 2:
    case 3:
      return b.set(what, b.reg(size), b.rm(size));
    default:
      return b.set(what, b.accumulator(size), b.immediate(size));
  }
}

/// Groups 4 and 5: fe, ff.
bool group_ff(encoding const& f, builder& b) noexcept {
  switch (f.reg_low) {
    case 0:
      b.set(op::inc, b.rm(b.size()));
      return true;
    case 1:
      b.set(op::dec, b.rm(b.size()));
      return true;
    case 2:
      b.set(op::call, b.rm(8));
      break;
    case 4:
      b.set(op::jump, b.rm(8));
      break;
    case 6:
      b.set(op::push, b.rm(8));
      return f.opcode == 0xff && !f.operand_16;
    default:
      return false;
  }
  return f.opcode == 0xff;
}

/// What the interpreter follows of the one-byte opcodes; false for everything else.
bool one_byte(encoding const& f, builder& b, bool& undefined) noexcept {
  const std::uint8_t o = f.opcode;
  const unsigned size = b.size();
  const unsigned full = f.operand_size();
  if (o < 0x40) return arithmetic(f, b), true;
  if (o >= 0x50 && o <= 0x57) return b.set(op::push, b.short_reg(8)), !f.operand_16;
  if (o >= 0x58 && o <= 0x5f) return b.set(op::pop, b.short_reg(8)), !f.operand_16;
  if (o >= 0x70 && o <= 0x7f) return b.branch(op::jump_if), true;
  if (o >= 0xb0 && o <= 0xb7) return b.set(op::move, b.short_reg(1), b.immediate(1)), true;
  if (o >= 0xb8 && o <= 0xbf) return b.set(op::move, b.short_reg(full), b.immediate(full)), true;
  switch (o) {
    case 0x63:
      b.set(op::move_sign_extended, b.reg(full), b.rm(4));
      return full != 2;  // manuals disagree on how much that reads
    case 0x68:
    case 0x6a:
      b.set(op::push, b.immediate(8));
      return !f.operand_16;
    case 0x80:
    case 0x81:
      b.set(static_cast<op>(f.reg_low), b.rm(size), b.immediate(size));
      return true;
    case 0x83:
      b.set(static_cast<op>(f.reg_low), b.rm(full), b.immediate(full));
      return true;
    case 0x84:
    case 0x85:
      b.set(op::test, b.rm(size), b.reg(size));
      return true;
    case 0x88:
    case 0x89:
      b.set(op::move, b.rm(size), b.reg(size));
      return true;
    case 0x8a:
    case 0x8b:
      b.set(op::move, b.reg(size), b.rm(size));
      return true;
    case 0x8d:
      undefined = f.mod == 3;
      b.set(op::load_address, b.reg(full), b.rm(0));
      return true;
    case 0x8f:
      b.set(op::pop, b.rm(8));
      return !f.operand_16;
    case 0x90:
      if (f.rm != rax) return false;
      b.nothing();
      return true;
    case 0x98:  // cbw, cwde, cdqe
      b.set(op::move_sign_extended, b.accumulator(full), b.accumulator(full / 2));
      return true;
    case 0xa8:
    case 0xa9:
      b.set(op::test, b.accumulator(size), b.immediate(size));
      return true;
    case 0xc2:
    case 0xc3:
      b.set(op::ret);
      return true;
    case 0xc6:
    case 0xc7:  // the rest of the group are transactions
      b.set(op::move, b.rm(size), b.immediate(size));
      undefined = f.reg_low != 0;
      return true;
    case 0xc9:
      b.set(op::leave);
      return true;
    case 0xcc:
    case 0xf4:
      b.set(op::trap);
      return true;
    case 0xe0:
    case 0xe1:
    case 0xe2:
    case 0xe3:
      b.branch(op::jump_unclear);
      return true;
    case 0xe8:
      b.branch(op::call);
      return true;
    case 0xe9:
    case 0xeb:
      b.branch(op::jump);
      return true;
    case 0xf6:
    case 0xf7:
      b.set(op::test, b.rm(size), b.immediate(size));
      return f.reg_low < 2;
    case 0xfe:
    case 0xff:
      undefined = !group_ff(f, b);
      return true;
    default:
      return false;
  }
}

bool two_byte(encoding const& f, builder& b) noexcept {
  const std::uint8_t o = f.opcode;
  const unsigned full = f.operand_size();
  if (o >= 0x40 && o <= 0x4f) return b.set(op::move_if, b.reg(full), b.rm(full)), true;
  if (o >= 0x80 && o <= 0x8f) return b.branch(op::jump_if), true;
  if (o >= 0x90 && o <= 0x9f) return b.set(op::set_if, b.rm(1)), true;
  switch (o) {
    case 0x0b:
    case 0xb9:
    case 0xff:
      b.set(op::trap);
      return true;
    case 0x0d:
    case 0x18:
    case 0x19:
    case 0x1a:  // of MPX, what loads and checks; 1b stores, too
    case 0x1c:
    case 0x1d:
    case 0x1f:
      b.nothing();
      return true;  // prefetches, long nops
    case 0x1e:      // endbr64, nops; but rdssp writes its register
      if (f.repeat == 0xf3 && f.mod == 3 && f.reg_low == 1) return false;
      b.nothing();
      return true;
    case 0xb6:
      b.set(op::move_zero_extended, b.reg(full), b.rm(1));
      return true;
    case 0xb7:
      b.set(op::move_zero_extended, b.reg(full), b.rm(2));
      return true;
    case 0xbe:
      b.set(op::move_sign_extended, b.reg(full), b.rm(1));
      return true;
    case 0xbf:
      b.set(op::move_sign_extended, b.reg(full), b.rm(2));
      return true;
    default:
      return false;
  }
}

}  // namespace

bool decode(unsigned char const* code, std::size_t available, std::uint64_t address,
            instruction& decoded) noexcept {
  encoding f;
  if (!take_apart(code, available, f)) return false;
  decoded = {};
  decoded.length = f.length;
  builder b{f, address, decoded};
  bool understood = false;
  bool undefined = false;
  if (f.kind == prefix::legacy) {
    if (f.map == opcode_map::one_byte) understood = one_byte(f, b, undefined);
    if (f.map == opcode_map::two_byte) understood = two_byte(f, b);
  }
  if (undefined) return false;
  decoded.condition = f.opcode & 15;
  if (!understood) {
    decoded.what = op::other;
    decoded.from = {};
    const unsigned size = f.kind == prefix::evex ? 64 : f.vector_256 ? 32 : 16;
    decoded.to = f.has_modrm && f.mod != 3 ? b.rm(size) : operand{};
    find_clobbers(f, decoded);
  }
  return true;
}

}  // namespace memprof::delivery::x86_64

#endif
