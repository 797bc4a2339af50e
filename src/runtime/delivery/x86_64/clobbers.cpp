// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include "delivery/x86_64/clobbers.hpp"

namespace memprof::delivery::x86_64 {
namespace {

constexpr std::uint16_t bit(unsigned number) noexcept {
  return static_cast<std::uint16_t>(1U << number);
}

// What cpuid, mul, string instructions and the like write between them.
constexpr std::uint16_t implied_registers =
    bit(rax) | bit(rcx) | bit(rdx) | bit(rbx) | bit(rsi) | bit(rdi) | bit(r11);

void clobber_rm(encoding const& f, instruction& i) noexcept {
  if (f.has_modrm && f.mod == 3) {
    i.clobbers |= bit(f.rm);
  } else {
    i.writes_memory = true;
  }
}

/// The register `number` of an operand that is a byte where the opcode's lowest bit is 0: without
/// REX, 4 .. 7 are then ah .. bh.
constexpr std::uint16_t bit_by_size(encoding const& f, unsigned number) noexcept {
  const bool high_byte = (f.opcode & 1) == 0 && !f.rex && number >= 4;
  return bit(high_byte ? number & 3 : number);
}

void clobber_rm_by_size(encoding const& f, instruction& i) noexcept {
  if (f.mod == 3) {
    i.clobbers |= bit_by_size(f, f.rm);
  } else {
    i.writes_memory = true;
  }
}

void one_byte_clobbers(encoding const& f, instruction& i) noexcept {
  const std::uint8_t o = f.opcode;
  if (o >= 0x50 && o <= 0x5f) {  // 16-bit push and pop
    i.clobbers = static_cast<std::uint16_t>(bit(f.rm) | bit(rsp));
    i.writes_anything = true;
    return;
  }
  if (o >= 0x91 && o <= 0x97) {  // xchg with rax
    i.clobbers = static_cast<std::uint16_t>(bit(rax) | bit(f.rm));
    i.keeps_flags = true;
    return;
  }
  if (o >= 0xd8 && o <= 0xdf) {  // x87: fnstsw and fnstcw write rax or memory
    i.clobbers = bit(rax);
    i.writes_memory = f.mod != 3;
    i.writes_anything =
        f.mod != 3 && f.reg_low == 6 && (o == 0xd9 || o == 0xdd);  // fnstenv, fnsave
    return;
  }
  switch (o) {
    case 0x69:
    case 0x6b:
      i.clobbers = bit(f.reg);
      return;
    case 0x86:
    case 0x87:
      i.clobbers = bit_by_size(f, f.reg);
      i.keeps_flags = true;
      return clobber_rm_by_size(f, i);
    case 0x90:  // xchg r8, rax
      i.clobbers = static_cast<std::uint16_t>(bit(rax) | bit(f.rm));
      return;
    case 0x8c:
      return clobber_rm(f, i);
    case 0x99:
      i.clobbers = bit(rdx);
      i.keeps_flags = true;
      return;
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
      return clobber_rm_by_size(f, i);  // shifts
    case 0xf6:
    case 0xf7:
      if (f.reg_low >= 4) {  // mul, div
        i.clobbers = bit(rax) | bit(rdx);
        return;
      }
      return clobber_rm_by_size(f, i);  // not, neg
    case 0x68:
    case 0x6a:
    case 0x8f:
    case 0xc8:  // enter, 16-bit forms
      i.clobbers = bit(rsp) | bit(rbp);
      if (f.has_modrm && f.mod == 3) i.clobbers |= bit(f.rm);
      i.writes_anything = true;
      return;
    case 0x9c:  // pushf
      i.clobbers = bit(rsp);
      i.writes_anything = true;
      return;
    case 0x9d:  // popf
      i.clobbers = bit(rsp);
      return;
    default:
      i.clobbers = implied_registers;
      if (f.has_modrm) i.clobbers |= bit(f.reg);
      i.writes_anything = true;
      return;
  }
}

/// Instructions of vector units among the two-byte opcodes: they write a general register only
/// where they say so, and memory with a few opcodes.
void vector(encoding const& f, instruction& i) noexcept {
  i.keeps_flags = true;
  switch (f.opcode) {
    case 0x2e:
    case 0x2f:
      i.keeps_flags = false;
      return;  // comiss and the like
    case 0x2c:
    case 0x2d:
    case 0x50:
    case 0xc5:
    case 0xd7:
      i.clobbers = bit(f.reg);
      return;
    case 0x7e:
      if (f.repeat != 0xf3) clobber_rm(f, i);
      return;
    case 0x78:
    case 0x79:
    case 0x7a:
    case 0x7b:
      i.clobbers = bit(f.reg);
      i.writes_memory = true;
      return;
    case 0x11:
    case 0x13:
    case 0x17:
    case 0x29:
    case 0x2b:
    case 0x7f:
    case 0xd6:
    case 0xe7:
      i.writes_memory = true;
      return;
    case 0xf7:
      i.writes_anything = true;
      return;  // maskmovdqu: through rdi
    default:
      return;
  }
}

bool is_vector(std::uint8_t o) noexcept {
  return (o >= 0x10 && o <= 0x17) || (o >= 0x28 && o <= 0x2f) || (o >= 0x50 && o <= 0x7f) ||
         o == 0xc2 || (o >= 0xc4 && o <= 0xc6) || o >= 0xd0;
}

void two_byte_clobbers(encoding const& f, instruction& i) noexcept {
  const std::uint8_t o = f.opcode;
  if (is_vector(o)) return vector(f, i);
  if (f.kind != prefix::legacy) {  // kmov and its kin
    i.clobbers = bit(f.reg);
    i.writes_memory = true;
    return;
  }
  if (o >= 0xc8 && o <= 0xcf) {  // bswap
    i.clobbers = bit(f.rm);
    i.keeps_flags = true;
    return;
  }
  switch (o) {
    case 0xa3:
      return;  // bt
    case 0xba:
      if (f.reg_low == 4) return;
      return clobber_rm(f, i);
    case 0x1e:
    case 0xa4:
    case 0xa5:
    case 0xab:
    case 0xac:
    case 0xad:
    case 0xb3:
    case 0xbb:
      return clobber_rm(f, i);
    case 0xaf:
    case 0xb8:
    case 0xbc:
    case 0xbd:
      i.clobbers = bit(f.reg);
      return;
    case 0xb0:
    case 0xb1:
      i.clobbers = bit(rax);
      return clobber_rm_by_size(f, i);
    case 0xc0:
    case 0xc1:
      i.clobbers = bit_by_size(f, f.reg);
      return clobber_rm_by_size(f, i);
    case 0xc3:
      i.writes_memory = true;
      return;
    default:
      i.clobbers = implied_registers;
      if (f.has_modrm) i.clobbers |= bit(f.reg);
      if (f.has_modrm && f.mod == 3) i.clobbers |= bit(f.rm);
      i.writes_anything = true;
      return;
  }
}

}  // namespace

void find_clobbers(encoding const& f, instruction& i) noexcept {
  i.clobbers = 0;
  i.keeps_flags = i.writes_memory = i.writes_anything = false;
  switch (f.map) {
    case opcode_map::one_byte:
      return one_byte_clobbers(f, i);
    case opcode_map::two_byte:
      return two_byte_clobbers(f, i);
    default:
      break;
  }
  // Three-byte opcodes: vector instructions, which leave general registers alone, and BMI (f0 and
  // above), extractions and string compares, which do not.
  const std::uint8_t o = f.opcode;
  i.writes_memory = true;
  if (f.map == opcode_map::with_38 && (o == 0x49 || o == 0x4b || o == 0xf8)) {
    i.writes_anything = true;  // tiles, of any size; movdir64b, enqcmd: where a register points
  }
  if (f.map == opcode_map::with_38 && o >= 0xf0) {
    i.clobbers = static_cast<std::uint16_t>(bit(f.reg) | bit(f.vvvv & 15));
    if (f.has_modrm && f.mod == 3) i.clobbers |= bit(f.rm);
  } else if (f.map == opcode_map::with_3a && (o >= 0xf0 || (o >= 0x14 && o <= 0x17))) {
    i.clobbers = bit(f.reg);
    clobber_rm(f, i);
  } else if (f.map == opcode_map::with_3a && o >= 0x60 && o <= 0x63) {
    i.clobbers = bit(rcx);
  } else if (f.map == opcode_map::fp16_5 || f.map == opcode_map::fp16_6) {
    i.clobbers = bit(f.reg);
    clobber_rm(f, i);  // vmovw
  }
}

}  // namespace memprof::delivery::x86_64

#endif
