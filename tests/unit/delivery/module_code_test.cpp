// SPDX-License-Identifier: MIT
#include "delivery/module_code.hpp"

#include <dlfcn.h>
#include <vector>

#include "delivery/call_target.hpp"
#include "delivery/x86_decoder.hpp"
#include "support/catch2.hpp"

using namespace memprof::delivery;

// Calls through slots of the GOT and of the PLT.
__asm__(
    ".text\n"
    "module_code_calls:\n"
    "call *__cxa_end_catch@GOTPCREL(%rip)\n"
    "call *_Unwind_Resume@GOTPCREL(%rip)\n"
    "call __cxa_rethrow@PLT\n"
    "call _ZSt9terminatev@PLT\n"
    "call module_code_local@PLT\n"
    "module_code_local: ret\n");
extern "C" void module_code_calls();

namespace {

constexpr int constant = 7;
int variable = 7;

std::uintptr_t address_of(void const* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

TEST_CASE("module code: segments") {
  const auto here = reinterpret_cast<std::uintptr_t>(&module_code_calls);
  module_code module;
  REQUIRE(module.open(here));
  CHECK(module.code_at(here) > 16);
  CHECK(module.code_at(address_of(&constant)) == 0);
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

TEST_CASE("module code: what calls mean, by name") {
  auto at = reinterpret_cast<std::uintptr_t>(&module_code_calls);
  module_code module;
  REQUIRE(module.open(at));
  const auto next_call = [&] {
    x86::instruction i;
    REQUIRE(x86::decode(reinterpret_cast<unsigned char const*>(at), 15, at, i));
    at += i.length;
    return i;
  };
  for (char const* name : {"__cxa_end_catch", "_Unwind_Resume"}) {
    const auto slot = static_cast<std::uintptr_t>(next_call().to.value);
    CHECK(module.function_behind(slot) == name);
    CHECK(module.function_behind(slot + 1).empty());
    CHECK(target_in_slot(module, slot).function == runtime_function_named(name));
  }
  CHECK(target_at(module, next_call().target).function == runtime_function::rethrow);
  CHECK(target_at(module, next_call().target).function == runtime_function::terminate);
  const auto local = next_call();
  CHECK(target_at(module, local.target).function == runtime_function::none);
  CHECK(target_at(module, local.target).local == at);
}

TEST_CASE("module code: libraries, too") {
  void* const function = dlsym(RTLD_DEFAULT, "__cxa_end_catch");
  if (function == nullptr) return;  // linked statically
  module_code module;
  CHECK(module.open(address_of(function)));
  CHECK(module.code_at(address_of(function)) > 0);
}
