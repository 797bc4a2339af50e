// SPDX-License-Identifier: MIT
#include "decoder/mnemonics.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace memprof::test {
namespace {

using delivery::x86_64::op;

// Conditions in the order of their numbers.
#define MEMPROF_CONDITIONS(prefix)                                                                \
  {                                                                                               \
    prefix##O, prefix##NO, prefix##B, prefix##NB, prefix##Z, prefix##NZ, prefix##BE, prefix##NBE, \
        prefix##S, prefix##NS, prefix##P, prefix##NP, prefix##L, prefix##NL, prefix##LE,          \
        prefix##NLE                                                                               \
  }
constexpr std::array<ZydisMnemonic, 16> jumps = MEMPROF_CONDITIONS(ZYDIS_MNEMONIC_J);
constexpr std::array<ZydisMnemonic, 16> sets = MEMPROF_CONDITIONS(ZYDIS_MNEMONIC_SET);
constexpr std::array<ZydisMnemonic, 16> moves = MEMPROF_CONDITIONS(ZYDIS_MNEMONIC_CMOV);
#undef MEMPROF_CONDITIONS

struct row {
  op what;
  char const* name;
  std::initializer_list<ZydisMnemonic> mnemonics;
};

constexpr row rows[] = {
    {op::add, "add", {ZYDIS_MNEMONIC_ADD}},
    {op::or_, "or", {ZYDIS_MNEMONIC_OR}},
    {op::adc, "adc", {ZYDIS_MNEMONIC_ADC}},
    {op::sbb, "sbb", {ZYDIS_MNEMONIC_SBB}},
    {op::and_, "and", {ZYDIS_MNEMONIC_AND}},
    {op::sub, "sub", {ZYDIS_MNEMONIC_SUB}},
    {op::xor_, "xor", {ZYDIS_MNEMONIC_XOR}},
    {op::cmp, "cmp", {ZYDIS_MNEMONIC_CMP}},
    {op::test, "test", {ZYDIS_MNEMONIC_TEST}},
    {op::inc, "inc", {ZYDIS_MNEMONIC_INC}},
    {op::dec, "dec", {ZYDIS_MNEMONIC_DEC}},
    {op::move, "move", {ZYDIS_MNEMONIC_MOV}},
    {op::move_zero_extended, "move zero-extended", {ZYDIS_MNEMONIC_MOVZX}},
    {op::move_sign_extended,
     "move sign-extended",
     {ZYDIS_MNEMONIC_MOVSX, ZYDIS_MNEMONIC_MOVSXD, ZYDIS_MNEMONIC_CBW, ZYDIS_MNEMONIC_CWDE,
      ZYDIS_MNEMONIC_CDQE}},
    {op::load_address, "load address", {ZYDIS_MNEMONIC_LEA}},
    {op::push, "push", {ZYDIS_MNEMONIC_PUSH}},
    {op::pop, "pop", {ZYDIS_MNEMONIC_POP}},
    {op::leave, "leave", {ZYDIS_MNEMONIC_LEAVE}},
    {op::set_if, "set if", {}},
    {op::move_if, "move if", {}},
    {op::call, "call", {ZYDIS_MNEMONIC_CALL}},
    {op::jump, "jump", {ZYDIS_MNEMONIC_JMP}},
    {op::jump_if, "jump if", {}},
    {op::jump_unclear,
     "jump or not",
     {ZYDIS_MNEMONIC_LOOP, ZYDIS_MNEMONIC_LOOPE, ZYDIS_MNEMONIC_LOOPNE, ZYDIS_MNEMONIC_JRCXZ,
      ZYDIS_MNEMONIC_JECXZ}},
    {op::ret, "return", {ZYDIS_MNEMONIC_RET}},
    {op::trap,
     "trap",
     {ZYDIS_MNEMONIC_UD0, ZYDIS_MNEMONIC_UD1, ZYDIS_MNEMONIC_UD2, ZYDIS_MNEMONIC_INT3,
      ZYDIS_MNEMONIC_HLT}},
    {op::other, "other", {}},
};

row const& row_of(op what) noexcept { return rows[static_cast<unsigned>(what)]; }

}  // namespace

bool means_same(delivery::x86_64::instruction const& ours, ZydisMnemonic mnemonic) noexcept {
  switch (ours.what) {
    case op::other:
      return true;
    case op::jump_if:
      return jumps[ours.condition] == mnemonic;
    case op::set_if:
      return sets[ours.condition] == mnemonic;
    case op::move_if:
      return moves[ours.condition] == mnemonic;
    default:
      return std::ranges::count(row_of(ours.what).mnemonics, mnemonic) != 0;
  }
}

char const* name_of(op what) noexcept { return row_of(what).name; }

}  // namespace memprof::test
