// SPDX-License-Identifier: MIT
/// \file
/// A decoder for x86-64: the length of every instruction that compilers emit, and what the few do
/// that the reader of landing pads follows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memprof::delivery::x86_64 {

/// General registers by their number in the encoding.
enum gpr : std::uint8_t {
  rax,
  rcx,
  rdx,
  rbx,
  rsp,
  rbp,
  rsi,
  rdi,
  r8,
  r9,
  r10,
  r11,
  r12,
  r13,
  r14,
  r15,
  no_register
};

/// What an instruction does. `other` does nothing but what the masks of `instruction` say.
enum class op : std::uint8_t {
  // In the order of their opcodes.
  add,
  or_,
  adc,
  sbb,
  and_,
  sub,
  xor_,
  cmp,
  test,
  inc,
  dec,
  move,
  move_zero_extended,
  move_sign_extended,
  load_address,
  push,
  pop,
  leave,
  set_if,
  move_if,
  call,
  jump,
  jump_if,
  jump_unclear,  ///< loop, jrcxz: jumps or not
  ret,
  trap,  ///< ud2, int3, hlt
  other
};

struct operand {
  enum class form : std::uint8_t { none, reg, high_byte, imm, mem };
  form kind = form::none;
  std::uint8_t size = 0;           ///< bytes; for `mem` of load_address 0
  std::uint8_t reg = no_register;  ///< reg; high_byte: of the register whose second byte it is
  std::uint8_t base = no_register;
  std::uint8_t index = no_register;
  std::uint8_t scale = 1;
  bool opaque = false;  ///< mem: segment-relative or otherwise not to be computed
  std::int64_t value =
      0;  ///< imm: sign-extended; mem: displacement, or the address if rip-relative
};

struct instruction {
  std::uint8_t length = 0;
  op what = op::other;
  std::uint8_t condition = 0;  ///< jump_if, set_if, move_if: low four bits of the opcode
  bool keeps_flags = false;
  bool writes_memory = false;    ///< other: stores `to.size` bytes at most
  bool writes_anything = false;  ///< other: stores more than that, or through implied registers
  std::uint16_t clobbers = 0;    ///< other: bit n: register n holds something else afterwards
  operand to;                    ///< also the left side of cmp and test; what call and jump go to
  operand from;
  std::uint64_t target = 0;  ///< direct call, jump, jump_if
};

/// Decodes the instruction at `code`, of which `available` bytes may be read.
///
/// \param address where the instruction stands (for rip-relative operands and jumps).
/// \return false if it is not understood: undefined, cut off, or something no compiler emits.
bool decode(unsigned char const* code, std::size_t available, std::uint64_t address,
            instruction& decoded) noexcept;

}  // namespace memprof::delivery::x86_64
