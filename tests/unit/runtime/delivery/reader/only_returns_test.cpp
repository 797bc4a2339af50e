// SPDX-License-Identifier: MIT
#include "delivery/reader/only_returns.hpp"

#include <cstdint>

#include "support/catch2.hpp"

using namespace memprof;

// In cases/only_returns_code.cpp, for two processors.
#if defined(__x86_64__) || defined(__aarch64__)

extern "C" {
// clang-format off
void memprof_code_plain();
void memprof_code_branch();
void memprof_code_checked_stack();
void memprof_code_stores();
void memprof_code_counts_down();
void memprof_code_stores_on_one_side();
void memprof_code_calls();
void memprof_code_calls_in_place_of_returning();
void memprof_code_calls_through_a_register();
void memprof_code_pushes();
void memprof_code_pops_to_memory();
void memprof_code_sets_a_mode_back();
void memprof_code_vector_store();
void memprof_code_loops();
void memprof_code_falls_off();
void memprof_code_system_call();
void memprof_code_traps();
void memprof_code_traps_on_one_side();
void memprof_code_as_long_as_is_read();
void memprof_code_longer_than_is_read();
void memprof_code_as_many_branches_as_are_read();
void memprof_code_more_branches_than_are_read();
// clang-format on
}

namespace {

bool says_it_only_returns(void (*code)()) {
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  callstack::procedure p;
  REQUIRE(callstack::find_procedure(address, p));
  REQUIRE(p.begin == address);
  delivery::module_code module;
  REQUIRE(module.open(address));
  return delivery::only_returns(module, p, address);
}

}  // namespace

TEST_CASE("only_returns: loads, computations and the return") {
  CHECK(says_it_only_returns(memprof_code_plain));
  CHECK(says_it_only_returns(memprof_code_branch));
  CHECK(says_it_only_returns(memprof_code_checked_stack));
  CHECK(says_it_only_returns(memprof_code_as_long_as_is_read));
  CHECK(says_it_only_returns(memprof_code_as_many_branches_as_are_read));
}

TEST_CASE("only_returns: not what stores, calls, or is not followed to its end") {
  CHECK_FALSE(says_it_only_returns(memprof_code_stores));
  CHECK_FALSE(says_it_only_returns(memprof_code_counts_down));
  CHECK_FALSE(says_it_only_returns(memprof_code_stores_on_one_side));
  CHECK_FALSE(says_it_only_returns(memprof_code_calls));
  CHECK_FALSE(says_it_only_returns(memprof_code_calls_in_place_of_returning));
  CHECK_FALSE(says_it_only_returns(memprof_code_calls_through_a_register));
  CHECK_FALSE(says_it_only_returns(memprof_code_pushes));
  CHECK_FALSE(says_it_only_returns(memprof_code_pops_to_memory));
  CHECK_FALSE(says_it_only_returns(memprof_code_sets_a_mode_back));
  CHECK_FALSE(says_it_only_returns(memprof_code_vector_store));
  CHECK_FALSE(says_it_only_returns(memprof_code_loops));
  CHECK_FALSE(says_it_only_returns(memprof_code_falls_off));
  CHECK_FALSE(says_it_only_returns(memprof_code_system_call));
  CHECK_FALSE(says_it_only_returns(memprof_code_traps));
  CHECK_FALSE(says_it_only_returns(memprof_code_traps_on_one_side));
  CHECK_FALSE(says_it_only_returns(memprof_code_longer_than_is_read));
  CHECK_FALSE(says_it_only_returns(memprof_code_more_branches_than_are_read));
}

#endif
