// SPDX-License-Identifier: MIT
#include "callstack/table_reader.hpp"

#include <array>

#include "support/catch2.hpp"

using memprof::callstack::table_reader;

namespace {
template <std::size_t N>
table_reader over(std::array<unsigned char, N> const& bytes) {
  return {bytes.data(), bytes.data() + N};
}
}  // namespace

TEST_CASE("table_reader: LEB128") {
  // The examples of the DWARF 4 specification, 7.6.
  const std::array<unsigned char, 11> unsigned_ones{2,    127, 0x80, 1,    0x81, 1,
                                                    0x82, 1,   0xb9, 0x64, 0};
  auto u = over(unsigned_ones);
  CHECK(u.uleb() == 2);
  CHECK(u.uleb() == 127);
  CHECK(u.uleb() == 128);
  CHECK(u.uleb() == 129);
  CHECK(u.uleb() == 130);
  CHECK(u.uleb() == 12857);
  const std::array<unsigned char, 10> signed_ones{2,    0x7e, 0xff, 0,    0x81,
                                                  0x7f, 0x80, 1,    0x80, 0x7f};
  auto s = over(signed_ones);
  CHECK(s.sleb() == 2);
  CHECK(s.sleb() == -2);
  CHECK(s.sleb() == 127);
  CHECK(s.sleb() == -127);
  CHECK(s.sleb() == 128);
  CHECK(s.sleb() == -128);
  CHECK(s.at_end());
  CHECK_FALSE(s.failed());
}

TEST_CASE("table_reader: reading past the end fails for good") {
  const std::array<unsigned char, 3> bytes{1, 2, 0x80};
  auto r = over(bytes);
  CHECK(r.fixed<std::uint32_t>() == 0);
  CHECK(r.failed());
  CHECK(r.fixed<std::uint8_t>() == 0);
  auto endless = table_reader{bytes.data() + 2, bytes.data() + 3};
  endless.uleb();
  CHECK(endless.failed());
  auto far = over(bytes);
  far.skip(~std::uint64_t{0});
  CHECK(far.failed());
}

TEST_CASE("table_reader: encoded pointers") {
  alignas(4) std::array<unsigned char, 12> bytes{0xfc, 0xff, 0xff, 0xff, 8, 0, 0, 0, 0, 0, 0, 0};
  const auto here = reinterpret_cast<std::uintptr_t>(bytes.data());
  auto r = over(bytes);
  CHECK(r.pointer(0x1b) == here - 4);     // pc-relative sdata4
  CHECK(r.pointer(0x3b, 100) == 108);     // data-relative sdata4
  CHECK(r.pointer(0x1b) == 0);            // null stays null
  CHECK(over(bytes).pointer(0xff) == 0);  // omitted
  auto unknown = over(bytes);
  unknown.pointer(0x25);
  CHECK(unknown.failed());
  static std::uintptr_t target = 4711;
  std::uintptr_t const* slot = &target;
  std::array<unsigned char, sizeof slot> indirect{};
  std::memcpy(indirect.data(), &slot, sizeof slot);
  CHECK(over(indirect).pointer(0x80) == 4711);
  const std::uintptr_t on_stack = 4711;
  slot = &on_stack;
  std::memcpy(indirect.data(), &slot, sizeof slot);
  auto outside = over(indirect);
  CHECK(outside.pointer(0x80) == 0);
  CHECK(outside.failed());
}
