// SPDX-License-Identifier: MIT
#include "callstack/cfi_interpreter.hpp"

#include <optional>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::callstack;

namespace {

using instructions = std::vector<unsigned char>;

constexpr auto fp = static_cast<unsigned char>(detail::number_fp);
constexpr auto sp = static_cast<unsigned char>(detail::number_sp);
constexpr auto ra = static_cast<unsigned char>(detail::number_return);
constexpr unsigned char of_fp = 0x70 + fp;
constexpr unsigned char cfa_offset_40[] = {0x0e, 40};

/// Of code in units of 4 bytes that saves in units of -8.
procedure example() {
  procedure p;
  p.begin = 0x1000;
  p.end = 0x2000;
  p.code_alignment = 4;
  p.data_alignment = -8;
  return p;
}

/// The row of `pc`; nullopt: not understood.
std::optional<cfi_row> row_at(std::uintptr_t pc, instructions const& of,
                              instructions const& initial = {}) {
  const procedure p = example();
  cfi_interpreter i(p, pc);
  if (!i.run(initial.data(), initial.data() + initial.size())) return std::nullopt;
  i.keep_as_initial();
  if (!i.run(of.data(), of.data() + of.size())) return std::nullopt;
  return i.result();
}

/// That of the end, with an instruction behind that shows that these were read to their end.
cfi_row row_of(instructions of) {
  of.insert(of.end(), std::begin(cfa_offset_40), std::end(cfa_offset_40));
  const auto row = row_at(0x1fff, of);
  REQUIRE(row);
  CHECK(row->cfa_offset == 40);
  return *row;
}

void check_saved(instructions of, register_rule how, std::int64_t offset) {
  const cfi_row row = row_of(of);
  CHECK(row.fp == how);
  CHECK(row.fp_offset == offset);
  CHECK(row.return_address == register_rule::same);
}

}  // namespace

TEST_CASE("cfi_interpreter: a row begins where the code has come to") {
  const std::pair<instructions, std::uintptr_t> forms[] = {
      {{0x41}, 0x1004},
      {{0x7f}, 0x10fc},
      {{0x02, 0xff}, 0x13fc},
      {{0x03, 0x01, 0x02}, 0x1804},
      {{0x04, 0x04, 0x01, 0, 0}, 0x1410},
      {{0x01, 0x34, 0x12, 0, 0, 0, 0, 0, 0}, 0x1234},
      {{0x41, 0x00, 0x41}, 0x1008},
  };
  for (auto const& [advance, to] : forms) {
    CAPTURE(int{advance[0]});
    instructions of{0x0e, 16};
    of.insert(of.end(), advance.begin(), advance.end());
    of.insert(of.end(), {0x0e, 32});
    CHECK(row_at(0x1000, of)->cfa_offset == 16);
    CHECK(row_at(to - 1, of)->cfa_offset == 16);
    CHECK(row_at(to, of)->cfa_offset == 32);
  }
}

TEST_CASE("cfi_interpreter: where a register is saved, in each form") {
  using enum register_rule;
  check_saved({0x80 | fp, 2}, at_cfa, -16);
  check_saved({0x05, fp, 3}, at_cfa, -24);
  check_saved({0x11, fp, 0x7f}, at_cfa, 8);  // -1 unit
  check_saved({0x2f, fp, 2}, at_cfa, 16);
  check_saved({0x05, fp, 3, 0x08, fp}, same, 0);
  check_saved({0x07, fp}, undefined, 0);
  check_saved({0x09, fp, 3}, other, 0);
  check_saved({0x14, fp, 1}, other, 0);
  check_saved({0x15, fp, 1}, other, 0);
  check_saved({0x16, fp, 2, of_fp, 8}, other, 0);
  check_saved({0x10, fp, 2, of_fp, 0x78}, at_fp, -8);
  // Any other expression, or what is behind one, is not understood.
  check_saved({0x10, fp, 2, 0x70 + fp + 1, 0x78}, other, 0);
  CHECK(row_of({0x10, fp, 3, of_fp, 0x78, 0x06}).fp == other);
  // Of other registers nothing is kept.
  check_saved({0x80 | 3, 2, 0x05, 3, 2, 0x07, 3}, same, 0);
}

TEST_CASE("cfi_interpreter: the return address, and a stack pointer that is not the CFA") {
  const cfi_row row = row_of({0x80 | ra, 1});
  CHECK(row.return_address == register_rule::at_cfa);
  CHECK(row.return_offset == -8);
  CHECK(row.fp == register_rule::same);
  CHECK(row_of({0x0c, sp, 8, 0x05, sp, 2}).cfa == cfa_from::nothing);
}

TEST_CASE("cfi_interpreter: the CFA") {
  CHECK(row_of({0x0c, sp, 8}).cfa == cfa_from::sp);
  CHECK(row_of({0x0c, sp, 8, 0x0d, fp}).cfa == cfa_from::fp);
  const cfi_row other = row_of({0x0c, 3, 8});
  CHECK(other.cfa == cfa_from::other);
  CHECK(other.cfa_register == 3);
  CHECK(row_of({0x0c, 60, 8}).cfa == cfa_from::nothing);
  CHECK(row_at(0x1000, {0x0c, sp, 24})->cfa_offset == 24);
  CHECK(row_at(0x1000, {0x0c, sp, 24, 0x0d, fp})->cfa_offset == 24);
  CHECK(row_at(0x1000, {0x12, sp, 0x7e})->cfa_offset == 16);
  CHECK(row_at(0x1000, {0x12, sp, 0x7e})->cfa == cfa_from::sp);
  CHECK(row_at(0x1000, {0x0c, sp, 24, 0x13, 0x7d})->cfa_offset == 24);
  CHECK(row_of({0x2e, 16}).cfa == cfa_from::nothing);
}

TEST_CASE("cfi_interpreter: the CFA of a realigned stack, and no other expression") {
  const auto realigned = row_at(0x1000, {0x0c, sp, 8, 0x0f, 3, of_fp, 0x70, 0x06});
  REQUIRE(realigned);
  CHECK(realigned->cfa == cfa_from::at_fp);
  CHECK(realigned->cfa_offset == -16);
  const instructions others[] = {{0x0f, 2, of_fp, 0x70},
                                 {0x0f, 3, of_fp, 0x70, 0x23},
                                 {0x0f, 4, of_fp, 0x70, 0x06, 0x06},
                                 {0x0f, 3, 0x70 + fp + 1, 0x70, 0x06},
                                 {0x0f, 0}};
  for (instructions const& of : others) CHECK(row_of(of).cfa == cfa_from::nothing);
}

TEST_CASE("cfi_interpreter: the CFA within an entry of a PLT") {
  if (!detail::return_address_below_cfa) return;
  const instructions plt{0x0f, 11,   0x70 + sp, 8,    0x80, 0x00, 0x3f,
                         0x1a, 0x3b, 0x2a,      0x33, 0x24, 0x22};
  CHECK(row_at(0x100a, plt)->cfa == cfa_from::sp);
  CHECK(row_at(0x100a, plt)->cfa_offset == 8);
  CHECK(row_at(0x100b, plt)->cfa_offset == 16);
  for (std::size_t i = 4; i < plt.size(); ++i) {
    if (i == 8) continue;  // which instruction it is
    instructions damaged = plt;
    ++damaged[i];
    CHECK(row_at(0x100a, damaged)->cfa == cfa_from::nothing);
  }
}

TEST_CASE("cfi_interpreter: rows are remembered, eight deep, and initial rules come back") {
  const cfi_row row = row_of({0x0c, sp, 16, 0x80 | fp, 2, 0x0a, 0x0d, fp, 0x08, fp, 0x0b});
  CHECK(row.cfa == cfa_from::sp);
  CHECK(row.fp == register_rule::at_cfa);
  CHECK(row_at(0x1000, instructions(8, 0x0a)));
  CHECK_FALSE(row_at(0x1000, instructions(9, 0x0a)));
  CHECK_FALSE(row_at(0x1000, {0x0b}));
  CHECK_FALSE(row_at(0x1000, {0x0a, 0x0b, 0x0b}));
  for (instructions const& restore :
       {instructions{0xc0 | fp, 0xc0 | ra}, instructions{0x06, fp, 0x06, ra}}) {
    instructions of{0x80 | fp, 5, 0x80 | ra, 6};
    of.insert(of.end(), restore.begin(), restore.end());
    const auto back = row_at(0x1000, of, {0x80 | fp, 2, 0x80 | ra, 1});
    REQUIRE(back);
    CHECK(back->fp_offset == -16);
    CHECK(back->return_offset == -8);
  }
}

TEST_CASE("cfi_interpreter: what is unknown, or cut off, is not understood") {
  for (const unsigned char unknown : instructions{0x17, 0x1c, 0x30, 0x3f})
    CHECK_FALSE(row_at(0x1000, {unknown}));
  CHECK(row_at(0x1000, {0x2d}).has_value() == !detail::return_address_below_cfa);
  const instructions cut[] = {{0x02},           {0x03, 1},    {0x04, 1, 0, 0}, {0x05, fp},
                              {0x0c, sp},       {0x80 | fp},  {0x0f, 3, 0x76}, {0x10, fp, 2, of_fp},
                              {0x16, fp, 2, 0}, {0x0e, 0x80}, {0x01, 1}};
  for (instructions const& of : cut) CHECK_FALSE(row_at(0x1000, of));
  // Nobody asks for what lies behind the pc.
  CHECK(row_at(0x1000, {0x41, 0x3f}));
  CHECK_FALSE(row_at(0x1004, {0x41, 0x3f}));
}
