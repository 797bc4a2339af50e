// SPDX-License-Identifier: MIT
#include "delivery/reader/call_target.hpp"

#include <dlfcn.h>
#include <vector>

#include "delivery/aarch64/code.hpp"
#include "delivery/x86_64/decoder.hpp"
#include "modules/modules.hpp"
#include "support/catch2.hpp"

using namespace memprof::delivery;

// Calls through slots of the GOT and of the PLT.
#if defined(__aarch64__)
__asm__(
    ".text\n"
    "module_code_calls:\n"
    "adrp x0, :got:__cxa_end_catch\n"
    "ldr x0, [x0, :got_lo12:__cxa_end_catch]\n"
    "blr x0\n"
    "adrp x0, :got:_Unwind_Resume\n"
    "ldr x0, [x0, :got_lo12:_Unwind_Resume]\n"
    "blr x0\n"
    "bl __cxa_rethrow\n"
    "bl _ZSt9terminatev\n"
    "bl module_code_local\n"
    "module_code_local: ret\n");
#else
__asm__(
    ".text\n"
    "module_code_calls:\n"
    "call *__cxa_end_catch@GOTPCREL(%rip)\n"
    "call *_Unwind_Resume@GOTPCREL(%rip)\n"
    "call __cxa_rethrow@PLT\n"
    "call _ZSt9terminatev@PLT\n"
    "call module_code_local@PLT\n"
    "module_code_local: ret\n");
#endif
extern "C" void module_code_calls();

namespace {

constexpr int constant = 7;
int variable = 7;

std::uintptr_t address_of(void const* p) { return reinterpret_cast<std::uintptr_t>(p); }

struct call {
  std::uintptr_t slot = 0;    ///< that it goes through, or
  std::uintptr_t target = 0;  ///< the function, or a stub of the PLT
};

/// The next call from `at` on, which is moved behind it.
call next_call(std::uintptr_t& at) {
#if defined(__aarch64__)
  aarch64::known_registers registers;
  while (true) {
    const std::uint32_t code = aarch64::word_at(at);
    const aarch64::instruction i = aarch64::decode(code, at);
    at += aarch64::instruction_size;
    if (i.what == aarch64::op::call && i.target != 0) return {.target = i.target};
    if (i.what == aarch64::op::call) {
      const auto held = registers.in(i.through);
      CHECK(held.what == aarch64::known_registers::contents::kind::in_slot);
      return {.slot = held.bits};
    }
    REQUIRE(i.what == aarch64::op::other);
    registers.execute(code, at - aarch64::instruction_size);
  }
#else
  x86_64::instruction i;
  REQUIRE(x86_64::decode(reinterpret_cast<unsigned char const*>(at), 15, at, i));
  at += i.length;
  return {.slot = static_cast<std::uintptr_t>(i.to.value), .target = i.target};
#endif
}

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
  for (char const* name : {"__cxa_end_catch", "_Unwind_Resume"}) {
    const auto slot = next_call(at).slot;
    CHECK(module.function_behind(slot) == name);
    CHECK(module.function_behind(slot + 1).empty());
    CHECK(target_in_slot(module, slot).function == runtime_function_named(name));
  }
  CHECK(target_at(module, next_call(at).target).function == runtime_function::rethrow);
  CHECK(target_at(module, next_call(at).target).function == runtime_function::terminate);
  const call local = next_call(at);
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
