// SPDX-License-Identifier: MIT
#include "decoder/operands.hpp"

namespace memprof::test {
namespace {

using delivery::x86_64::instruction;
using delivery::x86_64::op;
using delivery::x86_64::operand;
using form = operand::form;
namespace x86 = delivery::x86_64;

bool is_high_byte(ZydisRegister reg) noexcept {
  return reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH;
}

bool same_register(operand const& ours, ZydisDecodedOperand const& theirs) noexcept {
  return theirs.type == ZYDIS_OPERAND_TYPE_REGISTER && number_of(theirs.reg.value) == ours.reg &&
         is_high_byte(theirs.reg.value) == (ours.kind == form::high_byte);
}

/// Ours is sign-extended from the encoding to 64 bits; `evaluate` cuts it to the operand's size.
bool same_immediate(operand const& ours, ZydisDecodedOperand const& theirs) noexcept {
  if (theirs.type != ZYDIS_OPERAND_TYPE_IMMEDIATE) return false;
  const unsigned unused = 64 - 8 * ours.size;
  return static_cast<std::uint64_t>(ours.value) << unused == theirs.imm.value.u << unused;
}

/// The sizes of immediates and of addresses are not compared: ours are what they are extended to.
bool same_operand(operand const& ours, ZydisDecodedOperand const& theirs,
                  zydis_reading const& reading) noexcept {
  switch (ours.kind) {
    case form::reg:
    case form::high_byte:
      return same_register(ours, theirs) && theirs.size == 8 * ours.size;
    case form::imm:
      return same_immediate(ours, theirs);
    case form::mem:
      return theirs.type == ZYDIS_OPERAND_TYPE_MEMORY && same_address(ours, theirs, reading) &&
             (ours.size == 0 || theirs.size == 8 * ours.size);
    default:
      return true;
  }
}

}  // namespace

bool same_address(operand const& ours, ZydisDecodedOperand const& theirs,
                  zydis_reading const& reading) noexcept {
  if (ours.opaque) return true;
  ZydisDecodedOperandMem const& mem = theirs.mem;
  if (mem.segment == ZYDIS_REGISTER_FS || mem.segment == ZYDIS_REGISTER_GS) return false;
  if (reading.instruction.address_width != 64) return false;
  return ours.base == number_of(mem.base) && ours.index == number_of(mem.index) &&
         (ours.index == x86::no_register || ours.scale == mem.scale) &&
         ours.value == reading.displacement(theirs);
}

std::string check_operands(instruction const& ours, zydis_reading const& theirs) {
  switch (ours.what) {
    case op::other:
    case op::jump_if:
    case op::jump_unclear:
    case op::ret:
    case op::trap:
    case op::leave:
      return "";
    case op::call:
    case op::jump:
      if (ours.target != 0) return "";
      break;
    // Zydis gives the 1 of inc and dec no operand; nor do we.
    default:
      break;
  }
  if (!same_operand(ours.to, theirs.operands[0], theirs)) return "first operand";
  return same_operand(ours.from, theirs.operands[1], theirs) ? "" : "second operand";
}

std::string text_of(operand const& ours) {
  const std::string size = ":" + std::to_string(8 * ours.size);
  switch (ours.kind) {
    case form::reg:
      return "r" + std::to_string(ours.reg) + size;
    case form::high_byte:
      return "high byte of r" + std::to_string(ours.reg);
    case form::imm:
      return std::to_string(ours.value) + size;
    case form::mem: {
      if (ours.opaque) return "[?]" + size;
      std::string text = "[" + std::to_string(ours.value);
      if (ours.base != x86::no_register) text += " + r" + std::to_string(ours.base);
      if (ours.index != x86::no_register) {
        text += " + r" + std::to_string(ours.index) + "*" + std::to_string(ours.scale);
      }
      return text + "]" + size;
    }
    default:
      return "nothing";
  }
}

}  // namespace memprof::test
