// SPDX-License-Identifier: MIT
#include "decoder/claims.hpp"

#include <cinttypes>
#include <cstdio>

#include "decoder/mnemonics.hpp"
#include "decoder/operands.hpp"

namespace memprof::test {
namespace {

using delivery::x86_64::instruction;
using delivery::x86_64::op;
using form = delivery::x86_64::operand::form;
namespace x86 = delivery::x86_64;

constexpr unsigned bit(unsigned number) noexcept { return 1U << number; }

/// Does `execute` assign to `to`?
bool assigns(op what) noexcept {
  return what < op::call && what != op::cmp && what != op::test && what != op::push &&
         what != op::leave;
}

bool is_arithmetic(op what) noexcept { return what <= op::dec; }

/// The registers that the reader of landing pads takes for changed after a followed instruction.
unsigned followed_registers(instruction const& i) noexcept {
  unsigned mask = 0;
  const bool to_register = i.to.kind == form::reg || i.to.kind == form::high_byte;
  if (assigns(i.what) && to_register) mask |= bit(i.to.reg);
  switch (i.what) {
    case op::leave:
      return mask | bit(x86::rsp) | bit(x86::rbp);
    case op::push:
    case op::pop:
    case op::call:
    case op::ret:
      return mask | bit(x86::rsp);
    default:
      return mask;
  }
}

std::string check_registers(instruction const& ours, zydis_reading const& theirs) {
  const unsigned written = theirs.written_registers();
  switch (ours.what) {
    case op::other:
      return (written & ~unsigned{ours.clobbers}) == 0 ? "" : "registers written";
    case op::jump_unclear:  // loop counts down rcx, jrcxz does not: the reader forgets it for both
      return (written & ~bit(x86::rcx)) == 0 ? "" : "registers written";
    default:
      return written == followed_registers(ours) ? "" : "registers written";
  }
}

std::string check_memory(instruction const& ours, zydis_reading const& theirs) {
  ZydisDecodedOperand const* const written = theirs.written_memory();
  const bool to_memory = ours.to.kind == form::mem;
  switch (ours.what) {
    case op::other:
      if (written == nullptr || ours.writes_anything) return "";
      if (!ours.writes_memory || !to_memory) return "memory written";
      if (written->size > 8 * ours.to.size) return "size of the memory written";
      return same_address(ours.to, *written, theirs) ? "" : "address of the memory written";
    // These store at the stack pointer, which the reader of landing pads knows.
    case op::push:
    case op::call:
      return written != nullptr && number_of(written->mem.base) == x86::rsp ? "" : "memory written";
    // What happens in the kernel or on the shadow stack is not seen by the program.
    case op::trap:
    case op::ret:
      return "";
    default:
      return (written != nullptr) == (assigns(ours.what) && to_memory) ? "" : "memory written";
  }
}

std::string check_flags(instruction const& ours, zydis_reading const& theirs) {
  const ZydisAccessedFlagsMask changed = theirs.changed_flags();
  if (ours.what == op::other) {
    return !ours.keeps_flags || changed == 0 ? "" : "flags changed";
  }
  if (ours.what >= op::call) return "";  // what calls do to flags is known, traps do not come back
  if (!is_arithmetic(ours.what)) return changed == 0 ? "" : "flags changed";
  const bool keeps_carry = ours.what == op::inc || ours.what == op::dec;
  const bool carry = (changed & ZYDIS_CPUFLAG_CF) != 0;
  return carry != keeps_carry ? "" : "carry flag";
}

bool is_flow(ZydisDecodedInstruction const& i) noexcept {
  // The end of a transaction goes on behind it; Zydis has its category from xbegin, which may not.
  if (i.mnemonic == ZYDIS_MNEMONIC_XEND) return false;
  switch (i.meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
      return true;
    default:
      return false;
  }
}

std::string check_flow(instruction const& ours, zydis_reading const& theirs) {
  const bool flow = ours.what == op::call || ours.what == op::jump || ours.what == op::jump_if ||
                    ours.what == op::jump_unclear || ours.what == op::ret;
  if (flow != is_flow(theirs.instruction)) return "branch or not";
  if (flow && ours.target != theirs.target()) return "target";
  return "";
}

}  // namespace

std::string contradiction(instruction const& ours, zydis_reading const& theirs) {
  if (ours.length != theirs.instruction.length) return "length";
  if (!means_same(ours, theirs.instruction.mnemonic)) return "kind";
  for (auto* const check :
       {check_flow, check_operands, check_registers, check_memory, check_flags}) {
    if (std::string what = check(ours, theirs); !what.empty()) return what;
  }
  return {};
}

std::string text_of(instruction const& ours) {
  std::string text = std::string(name_of(ours.what)) + ", length " + std::to_string(ours.length);
  if (ours.target != 0) {
    char target[40];
    std::snprintf(target, sizeof target, ", target %#" PRIx64, ours.target);
    text += target;
  }
  if (ours.to.kind != form::none) text += ", to " + text_of(ours.to);
  if (ours.from.kind != form::none) text += ", from " + text_of(ours.from);
  if (ours.what != op::other) return text;
  text += ", clobbers " + std::to_string(ours.clobbers);
  if (ours.keeps_flags) text += ", keeps flags";
  if (ours.writes_memory) text += ", writes memory";
  if (ours.writes_anything) text += ", writes anything";
  return text;
}

}  // namespace memprof::test
