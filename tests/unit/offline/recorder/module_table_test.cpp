// SPDX-License-Identifier: MIT
#include "recorder/module_table.hpp"

#include <string>

#include "support/catch2.hpp"

using namespace memprof;
using recorder::module_table;

namespace {

recorder::module at(std::uintptr_t begin, std::string const& path, std::string const& id = "") {
  return {.begin = begin, .end = begin + 0x1000, .bias = begin, .build_id = id, .path = path};
}

std::string name_of(module_table& t, trace::location_code code) {
  const auto found = t.locate(code);
  return found.empty() ? "" : std::string(found[0].defname);
}

}  // namespace

TEST_CASE("a code is the address, named by module, address in it and build id") {
  module_table t;
  t.announce(at(0x10000, "/lib/a.so", "0123456789abcdef"));
  t.announce(at(0x20000, "/lib/b.so"));
  CHECK(t.code_of(0x10010) == 0x10010);
  const auto found = t.locate(0x10010);
  REQUIRE(found.size() == 1);
  CHECK(found[0].filename == "/lib/a.so");
  CHECK(found[0].defname == "a.so+0xf@0123456789abcdef");
  CHECK(name_of(t, 0x20001) == "b.so+0x0");
  // A return address behind the last call of a module is the next one's first address.
  CHECK(name_of(t, 0x11000) == "a.so+0xfff@0123456789abcdef");
  CHECK(name_of(t, 0x30000).empty());
}

TEST_CASE("modules that take each other's place have codes of their own") {
  module_table t;
  t.announce(at(0x10000, "/lib/a.so"));
  const auto first = t.code_of(0x10010);
  t.announce(at(0x10800, "/lib/b.so"));  // overlaps
  const auto second = t.code_of(0x10810);
  CHECK(second != 0x10810);
  t.announce(at(0x10000, "/lib/a.so"));
  CHECK(t.code_of(0x10010) == first);
  CHECK(name_of(t, first) == "a.so+0xf");
  CHECK(name_of(t, second) == "b.so+0xf");
  // Another file at the same path.
  t.announce(at(0x10000, "/lib/a.so", "0123456789abcdef"));
  CHECK(t.code_of(0x10010) != first);
}

TEST_CASE("what was said to be unknown stays unknown") {
  module_table t;
  const auto before = t.code_of(0x10010);
  CHECK(t.locate(before).empty());
  t.announce(at(0x10000, "/lib/a.so"));
  CHECK(t.code_of(0x10010) != before);
  CHECK(t.locate(before).empty());
  CHECK(name_of(t, t.code_of(0x10010)) == "a.so+0xf");
}

TEST_CASE("another program in the same process") {
  module_table t;
  t.announce(at(0x10000, "/bin/a"));
  const auto first = t.code_of(0x10010);
  t.unload_all();
  t.announce(at(0x10000, "/bin/b"));
  CHECK(name_of(t, first) == "a+0xf");
  CHECK(name_of(t, t.code_of(0x10010)) == "b+0xf");
}
