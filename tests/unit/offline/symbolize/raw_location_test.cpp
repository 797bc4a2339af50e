// SPDX-License-Identifier: MIT
#include "symbolize/raw_location.hpp"

#include "support/catch2.hpp"

using namespace memprof;

TEST_CASE("raw locations are recognised") {
  const auto parse = [](std::string_view file, std::string_view name) {
    return symbolize::parse_raw({file, name, 0, 0, 0});
  };
  const auto r = parse("/lib/libc.so.6", "libc.so.6+0x1a2b@0123456789abcdef");
  REQUIRE(r);
  CHECK(r->address == 0x1a2b);
  CHECK(r->build_id == "0123456789abcdef");
  CHECK(parse("/a/b", "b+0xffffffffffffffff")->address == ~std::uint64_t{0});
  CHECK(parse("[vdso]", "[vdso]+0x10")->build_id.empty());
  CHECK(parse("/a/b+0x1", "b+0x1+0x2")->address == 2);
  for (auto [file, name] : {std::pair{"/a/b", "c+0x1"},
                            {"/a/b", "b"},
                            {"/a/b", "b+0x"},
                            {"/a/b", "b+0xg"},
                            {"/a/b", "b+0x1@"},
                            {"/a/b", "b+0x1@xyz"},
                            {"/a/b", "b+0x1@0123456789abcdef0"},
                            {"/a/b", "b+0x10000000000000000"},
                            {"/a/", "+0x1"},
                            {"", "+0x1"},
                            {"b", "b+0x-1"},
                            {"list.ml", "Stdlib__list.map"}}) {
    CAPTURE(file, name);
    CHECK_FALSE(parse(file, name));
  }
}
