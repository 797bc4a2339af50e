// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "records/code_names.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using records::code_names;
using records::module_table;

namespace {

records::module at(std::uintptr_t begin, std::string_view path, std::string_view id = "") {
  records::module m{.begin = begin, .end = begin + 0x1000, .bias = begin, .path = path};
  std::ranges::copy(id, m.build_id.begin());
  return m;
}

/// A table and the names of its codes.
struct named_table {
  module_table modules;
  code_names names{modules};
  void announce(records::module const& m) { modules.announce(m); }
  [[nodiscard]] auto code_of(std::uintptr_t address) const { return modules.code_of(address); }
  auto locate(trace::location_code code) { return names.locate(code); }
};

std::string name_of(named_table& t, trace::location_code code) {
  const auto found = t.locate(code);
  return found.empty() ? "" : std::string(found[0].defname);
}

}  // namespace

TEST_CASE("a code is the address, named by module, address in it and build id") {
  named_table t;
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
  named_table t;
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
  named_table t;
  const auto before = t.code_of(0x10010);
  CHECK(t.locate(before).empty());
  t.announce(at(0x10000, "/lib/a.so"));
  CHECK(t.code_of(0x10010) != before);
  CHECK(t.locate(before).empty());
  CHECK(name_of(t, t.code_of(0x10010)) == "a.so+0xf");
}

TEST_CASE("another program in the same process") {
  named_table t;
  t.announce(at(0x10000, "/bin/a"));
  const auto first = t.code_of(0x10010);
  t.modules.unload_all();
  t.announce(at(0x10000, "/bin/b"));
  CHECK(name_of(t, first) == "a+0xf");
  CHECK(name_of(t, t.code_of(0x10010)) == "b+0xf");
}

TEST_CASE("many modules that come and go, in any order") {
  named_table t;
  for (std::uintptr_t round = 0; round < 3; ++round) {
    for (std::uintptr_t i = 0; i < 100; ++i) {
      const std::uintptr_t begin = 0x100000 + (i * 37 % 100) * 0x2000;
      t.announce(at(begin, round == 1 ? "/lib/b.so" : "/lib/a.so"));
    }
    for (std::uintptr_t i = 0; i < 100; ++i) {
      const std::uintptr_t frame = 0x100010 + i * 0x2000;
      CHECK(name_of(t, t.code_of(frame)) == (round == 1 ? "b.so+0xf" : "a.so+0xf"));
      CHECK((t.code_of(frame) == frame) == (round != 1));
      CHECK(t.code_of(frame + 0x1000) == frame + 0x1000);  // between two
    }
  }
}
