// SPDX-License-Identifier: MIT
#include "tracer/code_names.hpp"

#include <cstdlib>
#include <memory>
#include <string>

#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::tracer;

TEST_CASE("codes are named by module, address in the file, and build id") {
  auto const modules = std::make_unique<module_list>();
  code_names names(*modules);
  modules->refresh();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  const auto in_libc = reinterpret_cast<std::uintptr_t>(&std::strtol);
  for (const std::uintptr_t address : {here, in_libc}) {
    CHECK(modules->code_of(address) == address);
    const auto found = names.locate(address);
    REQUIRE(found.size() == 1);
    const std::string name(found.front().defname);
    const std::string path(found.front().filename);
    INFO(name);
    CHECK(path.starts_with("/"));
    CHECK(name.starts_with(path.substr(path.rfind('/') + 1) + "+0x"));
    const auto* const module = modules->module_of(address);
    REQUIRE(module != nullptr);
    const auto offset = std::stoull(name.substr(name.rfind("+0x") + 3), nullptr, 16);
    CHECK(offset == address - 1 - module->bias);
    const auto id = name.find('@');
    if (id != std::string::npos) CHECK(name.size() - id == 17);
    CHECK(names.locate(address).front().defname.data() == found.front().defname.data());
  }
  // Of no module; and many, so that the table grows.
  CHECK(names.locate(4096).empty());
  for (std::uintptr_t i = 1; i < 10'000; ++i) CHECK(names.locate(in_libc + i).size() == 1);
  const std::string_view one = names.locate(in_libc + 1).front().defname;
  CHECK(one != names.locate(in_libc + 2).front().defname);
}

TEST_CASE("codes: beyond a number they have no names, and those before keep theirs") {
  auto const modules = std::make_unique<module_list>();
  code_names names(*modules);
  modules->refresh();
  const auto in_libc = reinterpret_cast<std::uintptr_t>(&std::strtol);
  REQUIRE(names.locate(in_libc).size() == 1);
  std::uintptr_t code = 1;  // of no module
  for (std::uintptr_t i = 0; i < 800'000; ++i) CHECK(names.locate(code += 4).empty());
  CHECK(names.locate(in_libc).size() == 1);
  CHECK(names.locate(in_libc + 1).empty());
}
