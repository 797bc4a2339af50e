// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include "delivery/aarch64/decoder.hpp"

#include <initializer_list>

#include "delivery/aarch64/known_registers.hpp"
#include "support/catch2.hpp"

using namespace memprof::delivery::aarch64;
using kind = known_registers::contents::kind;

namespace {

constexpr std::uintptr_t here = 0x412340;

known_registers after(std::initializer_list<std::uint32_t> code) {
  known_registers registers;
  std::uintptr_t address = here;
  for (std::uint32_t const word : code) {
    registers.execute(word, address);
    address += instruction::length;
  }
  return registers;
}

constexpr std::uint32_t adrp_x5 = 0x90000005;      // adrp x5, .
constexpr std::uint32_t ldr_x6_x5 = 0xf94010a6;    // ldr x6, [x5, #32]
constexpr std::uint32_t add_x5_0x18 = 0x910060a5;  // add x5, x5, #0x18

}  // namespace

// Words as the assembler of binutils has them.
TEST_CASE("aarch64 decoder: branches and calls, with their targets") {
  struct sample {
    std::uint32_t code;
    op what;
    std::uintptr_t target;
  };
  const sample samples[] = {
      {0x94000040, op::call, here + 0x100},    // bl
      {0x97ffffc0, op::call, here - 0x100},    // bl, backwards
      {0x14000002, op::jump, here + 8},        // b
      {0x54ffff80, op::jump_if, here - 16},    // b.eq
      {0xb4000103, op::jump_if, here + 0x20},  // cbz x3
      {0x35000103, op::jump_if, here + 0x20},  // cbnz w3
      {0xb6f80081, op::jump_if, here + 0x10},  // tbz x1, #63
      {0x371fffe1, op::jump_if, here - 4},     // tbnz w1, #3
      {0xd65f03c0, op::ret, 0},                // ret
      {0xd65f0020, op::ret, 0},                // ret x1
      {0xd65f0bff, op::ret, 0},                // retaa
      {0xd4200020, op::trap, 0},               // brk #1
      {0x00000000, op::trap, 0},               // udf #0
      {0xd503201f, op::other, 0},              // nop
      {0xd503233f, op::other, 0},              // paciasp
      {0xd503245f, op::other, 0},              // bti c
      {0xd4000001, op::other, 0},              // svc #0
  };
  for (sample const& s : samples) {
    CAPTURE(s.code);
    const instruction i = decode(s.code, here);
    CHECK(i.what == s.what);
    CHECK(i.target == s.target);
  }
}

TEST_CASE("aarch64 decoder: calls and jumps through registers, authenticated or not") {
  for (std::uint32_t const code : {0xd63f0100u, 0xd73f0909u, 0xd63f091fu}) {  // blr, blraa, blraaz
    const instruction i = decode(code, here);
    CHECK((i.what == op::call && i.through == 8 && i.target == 0));
  }
  CHECK(decode(0xd61f0200, here).through == 16);                 // br x16
  for (std::uint32_t const code : {0xd71f0a32u, 0xd61f0a3fu}) {  // braa, braaz
    const instruction i = decode(code, here);
    CHECK((i.what == op::jump && i.through == 17 && i.target == 0));
  }
}

TEST_CASE("aarch64 decoder: addresses and slots are followed") {
  CHECK(after({0x10008005}).in(5).bits == here + 0x1000);  // adr x5, .+0x1000
  auto registers = after({adrp_x5, add_x5_0x18});
  CHECK(registers.in(5).what == kind::address);
  CHECK(registers.in(5).bits == 0x412018);
  CHECK(after({adrp_x5, 0x914004a5}).in(5).bits == 0x413000);  // add x5, x5, #1, lsl #12
  registers = after({adrp_x5, ldr_x6_x5});
  CHECK(registers.in(6).what == kind::in_slot);
  CHECK(registers.in(6).bits == 0x412020);
  CHECK(after({ldr_x6_x5}).in(6).what == kind::unknown);
}

TEST_CASE("aarch64 decoder: what an instruction may write is forgotten") {
  for (std::uint32_t const code : {
           0xa8c11be5u,  // ldp x5, x6, [sp], #16
           0xf84084a7u,  // ldr x7, [x5], #8
           0xc805fce6u,  // stlxr w5, x6, [x7]
           0xaa0603e5u,  // mov x5, x6
           0x110004a5u,  // add w5, w5, #1
       }) {
    CAPTURE(code);
    CHECK(after({adrp_x5, code}).in(5).what == kind::unknown);
  }
  CHECK(after({adrp_x5, 0xb94020a6}).in(6).what == kind::unknown);  // ldr w6, [x5, #32]
  auto registers = after({adrp_x5});
  registers.after_call();
  CHECK(registers.in(5).what == kind::unknown);
}

#endif
