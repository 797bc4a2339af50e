// SPDX-License-Identifier: MIT
#include "records/code_names.hpp"

#include <cstdint>
#include <string_view>

#include "support/catch2.hpp"

using namespace memprof;
using records::code_names;
using records::module_table;

TEST_CASE("the names of codes stay, however many there are") {
  module_table modules;
  code_names names(modules);
  modules.announce({.begin = 0x10000, .end = 0x90000, .bias = 0x8000, .path = "/lib/a.so"});
  const auto found = names.locate(0x10011);
  REQUIRE(found.size() == 1);
  const std::string_view first = found.front().defname;
  CHECK(first == "a.so+0x8010");
  CHECK(names.locate(4096).empty());
  for (std::uintptr_t i = 1; i < 10'000; ++i) CHECK(names.locate(0x20000 + i).size() == 1);
  CHECK(names.locate(0x10011).front().defname.data() == first.data());
}

TEST_CASE("codes: beyond a number they have no names, and those before keep theirs") {
  module_table modules;
  code_names names(modules);
  modules.announce({.begin = 0x100000000, .end = 0x100010000, .path = "/lib/a.so"});
  REQUIRE(names.locate(0x100000010).size() == 1);
  std::uintptr_t code = 1;  // of no module
  for (std::uintptr_t i = 0; i < 800'000; ++i) CHECK(names.locate(code += 4).empty());
  CHECK(names.locate(0x100000010).size() == 1);
  CHECK(names.locate(0x100000011).empty());
}
