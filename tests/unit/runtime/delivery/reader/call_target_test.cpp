// SPDX-License-Identifier: MIT
#include "delivery/reader/call_target.hpp"

#include "delivery/reader/this_processor.hpp"
#include "support/catch2.hpp"

using namespace memprof::delivery;

// Calls through slots of the GOT and of the PLT.
#if defined(__aarch64__)
__asm__(
    ".text\n"
    "test_calls:\n"
    "adrp x0, :got:__cxa_end_catch\n"
    "ldr x0, [x0, :got_lo12:__cxa_end_catch]\n"
    "blr x0\n"
    "adrp x0, :got:_Unwind_Resume\n"
    "ldr x0, [x0, :got_lo12:_Unwind_Resume]\n"
    "blr x0\n"
    "bl __cxa_rethrow\n"
    "bl _ZSt9terminatev\n"
    "bl test_calls_end\n"
    "test_calls_end: ret\n");
#else
__asm__(
    ".text\n"
    "test_calls:\n"
    "call *__cxa_end_catch@GOTPCREL(%rip)\n"
    "call *_Unwind_Resume@GOTPCREL(%rip)\n"
    "call __cxa_rethrow@PLT\n"
    "call _ZSt9terminatev@PLT\n"
    "call test_calls_end@PLT\n"
    "test_calls_end: ret\n");
#endif
extern "C" void test_calls();

namespace {

/// Where the next call from `at` on goes; `at` is moved behind it.
destination next_call(module_code const& module, std::uintptr_t& at) {
  processor::run_values known;
  known.forget();
  while (true) {
    processor::instruction i;
    REQUIRE(processor::decode(module, at, i));
    at += i.length;
    if (processor::control_of(i) == control::call) return processor::destination_of(i, known);
    REQUIRE(processor::control_of(i) == control::next);
    processor::execute(i, known);
  }
}

}  // namespace

TEST_CASE("call target: what calls mean, by name") {
  auto at = reinterpret_cast<std::uintptr_t>(&test_calls);
  module_code module;
  REQUIRE(module.open(at));
  for (char const* name : {"__cxa_end_catch", "_Unwind_Resume"}) {
    const auto slot = next_call(module, at).slot;
    CHECK(module.function_behind(slot) == name);
    CHECK(module.function_behind(slot + 1).empty());
    CHECK(target_in_slot(module, slot).function == runtime_function_named(name));
  }
  CHECK(target_at(module, next_call(module, at).address).function == runtime_function::rethrow);
  CHECK(target_at(module, next_call(module, at).address).function == runtime_function::terminate);
  const destination local = next_call(module, at);
  CHECK(target_at(module, local.address).function == runtime_function::none);
  CHECK(target_at(module, local.address).local == at);
}
