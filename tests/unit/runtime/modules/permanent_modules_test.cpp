// SPDX-License-Identifier: MIT
#include "modules/permanent_modules.hpp"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <string>

#include "support/catch2.hpp"

using namespace memprof::modules;

namespace {

std::uintptr_t address(char const* (*f)()) { return reinterpret_cast<std::uintptr_t>(f); }

}  // namespace

TEST_CASE("permanent modules: the program and what it needs stay, the rest does not") {
  static module_list list;
  list_modules(list);
  REQUIRE(list.count > 2);
  CHECK(list.modules[0].permanent);
  int libc = 0;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (std::string(list.modules[i].name).find("libc.so") != std::string::npos) {
      ++libc;
      CHECK(list.modules[i].permanent);
      CHECK(list.modules[i].range.begin <= address(&gnu_get_libc_version));
    }
  }
  CHECK(libc == 1);
  // Nothing here needs it.
  void* const module = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return;
  list_modules(list);
  int sqlite = 0;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (std::string(list.modules[i].name).find("libsqlite3") == std::string::npos) continue;
    ++sqlite;
    CHECK_FALSE(list.modules[i].permanent);
  }
  CHECK(sqlite == 1);
  dlclose(module);
}

TEST_CASE("permanent modules: by address") {
  listed_module const* const libc = permanent_module_at(address(&gnu_get_libc_version));
  REQUIRE(libc != nullptr);
  CHECK(libc->range.contains(address(&gnu_get_libc_version)));
  const int local = 0;
  CHECK(permanent_module_at(reinterpret_cast<std::uintptr_t>(&local)) == nullptr);
}
