// SPDX-License-Identifier: MIT
#include "modules/module_code.hpp"

#include <cstdint>
#include <dlfcn.h>
#include <vector>

#include "support/catch2.hpp"

using memprof::modules::module_code;

namespace {

constexpr int constant = 7;
int variable = 7;

[[gnu::noinline]] int own_code() { return variable * 3 + 1; }

std::uintptr_t address_of(void const* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

TEST_CASE("module code: segments") {
  const auto here = address_of(reinterpret_cast<void const*>(&own_code));
  module_code module;
  REQUIRE(module.open(here));
  CHECK(module.code_at(here) > 0);
  CHECK(module.code_at(address_of(&variable)) == 0);
  CHECK(module.is_constant(address_of(&constant), sizeof constant));
  CHECK_FALSE(module.is_constant(address_of(&variable), sizeof variable));
  CHECK(module.is_readable(address_of(&variable), sizeof variable));
  int local = 0;
  CHECK_FALSE(module.is_readable(address_of(&local), sizeof local));
  CHECK_FALSE(module.is_readable(0, 1));
  CHECK_FALSE(module.is_readable(here, ~std::size_t{0}));
}

TEST_CASE("module code: no module") {
  module_code module;
  const std::vector<char> heap(100'000);
  CHECK_FALSE(module.open(address_of(heap.data())));
  CHECK_FALSE(module.open(0));
}

TEST_CASE("module code: libraries, too") {
  void* const function = dlsym(RTLD_DEFAULT, "__cxa_end_catch");
  if (function == nullptr) return;  // linked statically
  module_code module;
  CHECK(module.open(address_of(function)));
  CHECK(module.code_at(address_of(function)) > 0);
}
