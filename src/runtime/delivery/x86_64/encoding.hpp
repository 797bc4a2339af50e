// SPDX-License-Identifier: MIT
/// \file
/// The first half of the decoder: an instruction taken apart into the fields of its encoding.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memprof::delivery::x86_64 {

/// Which table an opcode belongs to; the values are those of the VEX and EVEX prefixes.
enum class opcode_map : std::uint8_t {
  one_byte = 0,
  two_byte = 1,
  with_38 = 2,
  with_3a = 3,
  fp16_5 = 5,
  fp16_6 = 6
};

enum class prefix : std::uint8_t { legacy, vex, evex };

struct encoding {
  opcode_map map = opcode_map::one_byte;
  prefix kind = prefix::legacy;
  std::uint8_t opcode = 0;
  std::uint8_t length = 0;
  std::uint8_t repeat = 0;  ///< 0xf2, 0xf3, or 0; for VEX and EVEX what `pp` stands for
  bool operand_16 = false;  ///< prefix 66
  bool address_32 = false;  ///< prefix 67
  bool segment = false;     ///< prefix 64 or 65
  bool rex = false;         ///< any REX: spl .. dil instead of ah .. bh
  bool wide = false;        ///< REX.W
  std::uint8_t vvvv = 0;    ///< VEX, EVEX: the additional register
  bool vector_256 = false;  ///< VEX.L

  bool has_modrm = false;
  std::uint8_t mod = 0;
  std::uint8_t reg = 0;      ///< with its extension
  std::uint8_t reg_low = 0;  ///< the three bits alone: an extension of the opcode
  std::uint8_t rm = 0;       ///< mod 3: a register, with its extension
  std::uint8_t base = 16;    ///< mod 0..2: 16 if none
  std::uint8_t index = 16;
  std::uint8_t scale = 1;
  bool rip_relative = false;
  std::int64_t displacement = 0;

  std::uint8_t immediate_size = 0;
  std::int64_t immediate = 0;  ///< sign-extended

  /// Size of the operand of instructions that are not byte-sized, in bytes.
  [[nodiscard]] unsigned operand_size() const noexcept { return wide ? 8U : operand_16 ? 2U : 4U; }
};

/// Takes the instruction at `code` apart; false if it is undefined in 64-bit mode, cut off, or of a
/// kind that no compiler for user programs emits.
bool take_apart(unsigned char const* code, std::size_t available, encoding& fields) noexcept;

}  // namespace memprof::delivery::x86_64
