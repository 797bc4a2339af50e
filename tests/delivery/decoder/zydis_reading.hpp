// SPDX-License-Identifier: MIT
/// \file
/// An instruction as Zydis reads it, and the questions that the comparison asks of it.
#pragma once

#include <Zydis/Zydis.h>
#include <cstddef>
#include <cstdint>
#include <string>

namespace memprof::test {

/// Bits of general registers, numbered as in the encoding, as in `x86::instruction::clobbers`.
using register_mask = std::uint16_t;

/// The number of a general register or of the one it is a part of; 16 for any other register.
std::uint8_t number_of(ZydisRegister reg) noexcept;

struct zydis_reading {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];  ///< with the implied ones, at the end
  std::uint64_t address;

  /// General registers that change or may change, whole or in part.
  [[nodiscard]] register_mask written_registers() const noexcept;

  /// The operand in memory that is written, explicit or implied; null if there is none.
  [[nodiscard]] ZydisDecodedOperand const* written_memory() const noexcept;

  /// The flags (ZYDIS_CPUFLAG_*) that conditions ask for, and that do not stay as they were.
  [[nodiscard]] ZydisAccessedFlagsMask changed_flags() const noexcept;

  /// Where a direct call or jump goes; 0 if it is not direct.
  [[nodiscard]] std::uint64_t target() const noexcept;

  /// The address of a rip-relative operand; otherwise the displacement.
  [[nodiscard]] std::int64_t displacement(ZydisDecodedOperand const& memory) const noexcept;

  /// In the syntax of Intel.
  [[nodiscard]] std::string text() const;
};

/// Zydis, set up for 64-bit mode.
class zydis_decoder {
 public:
  zydis_decoder() noexcept;
  /// False if Zydis does not know the instruction.
  bool read(unsigned char const* code, std::size_t available, std::uint64_t address,
            zydis_reading& reading) const noexcept;

 private:
  ZydisDecoder decoder_;
};

}  // namespace memprof::test
