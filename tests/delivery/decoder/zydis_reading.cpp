// SPDX-License-Identifier: MIT
#include "decoder/zydis_reading.hpp"

#include <span>

namespace memprof::test {
namespace {

bool is_written(ZydisDecodedOperand const& o) noexcept {
  return (o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
}

// The parity flag is left out: no condition that asks for it is ever taken for known.
constexpr ZydisAccessedFlagsMask flags_of_conditions =
    ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;

}  // namespace

std::uint8_t number_of(ZydisRegister reg) noexcept {
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64) return 16;
  return static_cast<std::uint8_t>(ZydisRegisterGetId(whole));
}

register_mask zydis_reading::written_registers() const noexcept {
  unsigned mask = 0;
  for (ZydisDecodedOperand const& o : std::span{operands, instruction.operand_count}) {
    if (o.type == ZYDIS_OPERAND_TYPE_REGISTER && is_written(o))
      mask |= 1U << number_of(o.reg.value);
  }
  return static_cast<register_mask>(mask);  // without the bit of the others
}

ZydisDecodedOperand const* zydis_reading::written_memory() const noexcept {
  for (ZydisDecodedOperand const& o : std::span{operands, instruction.operand_count}) {
    if (o.type == ZYDIS_OPERAND_TYPE_MEMORY && is_written(o)) return &o;
  }
  return nullptr;
}

ZydisAccessedFlagsMask zydis_reading::changed_flags() const noexcept {
  ZydisAccessedFlags const* const f = instruction.cpu_flags;
  if (f == nullptr) return 0;
  return (f->modified | f->set_0 | f->set_1 | f->undefined) & flags_of_conditions;
}

std::uint64_t zydis_reading::target() const noexcept {
  ZydisDecodedOperand const& o = operands[0];
  std::uint64_t result = 0;
  if (instruction.operand_count == 0 || o.type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
      !o.imm.is_relative ||
      !ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&instruction, &o, address, &result))) {
    return 0;
  }
  return result;
}

std::int64_t zydis_reading::displacement(ZydisDecodedOperand const& memory) const noexcept {
  const bool relative = memory.mem.base == ZYDIS_REGISTER_RIP;
  return memory.mem.disp.value +
         (relative ? static_cast<std::int64_t>(address) + instruction.length : 0);
}

std::string zydis_reading::text() const {
  ZydisFormatter formatter;
  char line[256] = "?";
  if (ZYAN_SUCCESS(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL))) {
    ZydisFormatterFormatInstruction(&formatter, &instruction, operands,
                                    instruction.operand_count_visible, line, sizeof line, address,
                                    nullptr);
  }
  return line;
}

zydis_decoder::zydis_decoder() noexcept {
  ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

bool zydis_decoder::read(unsigned char const* code, std::size_t available, std::uint64_t address,
                         zydis_reading& reading) const noexcept {
  reading.address = address;
  return ZYAN_SUCCESS(
      ZydisDecoderDecodeFull(&decoder_, code, available, &reading.instruction, reading.operands));
}

}  // namespace memprof::test
