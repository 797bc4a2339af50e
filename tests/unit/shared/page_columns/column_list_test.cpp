// SPDX-License-Identifier: MIT
#include "page_columns/column_list.hpp"

#include "support/catch2.hpp"

using namespace memprof::page_columns;

TEST_CASE("columns: each of the narrowest type, aligned, behind the head") {
  column_list columns;
  columns.add("small", 3, [](std::size_t i) { return i; });
  columns.add("medium", 1, [](std::size_t) { return 0x1234U; });
  columns.add("large", 3, [](std::size_t i) { return 0xfffffffeU + i / 2; });
  columns.add("huge", 1, [](std::size_t) { return 0x1'0000'0000U; });
  columns.add("none", 0, [](std::size_t) { return 0U; });
  CHECK(
      columns.list_as_json() ==
      R"([["small","u8",3],["medium","u16",1],["large","u32",3],["huge","f64",1],["none","u8",0]])");
  using namespace std::string_literals;
  CHECK(columns.behind("{\"a\": 12}") ==
        "memprof1"
        "\x10\0\0\0\0\0\0\0"
        "{\"a\": 12}       "
        "\x00\x01\x02\0\0\0\0\0"
        "\x34\x12\0\0\0\0\0\0"
        "\xfe\xff\xff\xff\xfe\xff\xff\xff\xff\xff\xff\xff\0\0\0\0"
        "\0\0\0\0\0\0\xf0\x41"s);
}

TEST_CASE("columns: what a double does not hold is rounded down") {
  CHECK(as_double(0) == 0);
  CHECK(as_double((std::uint64_t{1} << 53) - 1) == 0x1p53 - 1);
  CHECK(as_double((std::uint64_t{1} << 54) + 3) == 0x1p54);
  CHECK(as_double(~std::uint64_t{0}) < 0x1p64);
}
