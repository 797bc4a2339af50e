// SPDX-License-Identifier: MIT
#include "testing/symbol_names.hpp"

#include <string>
#include <vector>

#include "support/catch2.hpp"

// What stacks of reports have: functions of the program, ours around the scenario, operator new.
[[gnu::noinline]] void symbol_names_outer() { asm volatile("nop; nop; nop"); }
[[gnu::noinline]] void symbol_names_inner() { asm volatile("nop; nop; nop; nop"); }
namespace memprof::inline v0::testing::detail {
[[gnu::noinline]] void around_scenario() { asm volatile("nop; nop; nop; nop; nop"); }
}  // namespace memprof::inline v0::testing::detail

using memprof::testing::name_of;
using memprof::testing::names_of;

namespace {

void* const outer = reinterpret_cast<char*>(&symbol_names_outer) + 1;
void* const inner = reinterpret_cast<char*>(&symbol_names_inner) + 1;
void* const ours = reinterpret_cast<char*>(&memprof::testing::detail::around_scenario) + 1;
void* const request =
    reinterpret_cast<char*>(static_cast<void* (*)(std::size_t)>(&::operator new)) + 1;

std::vector<std::string> names(std::vector<void*> const& stack) {
  std::vector<std::string> functions;
  for (auto const& frame : names_of(stack.data(), stack.size()))
    functions.push_back(frame.function);
  return functions;
}

using list = std::vector<std::string>;

}  // namespace

TEST_CASE("symbol_names: the function, its module, and where it is") {
  const auto frame = name_of(outer);
  CHECK(frame.address == outer);
  CHECK(frame.function == "symbol_names_outer()");
  CHECK(frame.module.ends_with("unit_testing_test"));
  CHECK(frame.offset != 0);
  CHECK(name_of(ours).function == "(the scenario)");
}

TEST_CASE("symbol_names: our frames at the end are one") {
  const std::string scenario = "(the scenario)";
  CHECK(names({inner, outer}) == list{"symbol_names_inner()", "symbol_names_outer()"});
  CHECK(names({inner, outer, ours}) ==
        list{"symbol_names_inner()", "symbol_names_outer()", scenario});
  CHECK(names({inner, ours, ours, ours}) == list{"symbol_names_inner()", scenario});
  CHECK(names({ours, ours, inner}) == list{scenario, scenario, "symbol_names_inner()"});
  CHECK(names({ours, ours}) == list{scenario});
  CHECK(names({ours}) == list{scenario});
  CHECK(names({}).empty());
}

TEST_CASE("symbol_names: operator new is left out where the stack begins with it") {
  CHECK(names({request, inner, outer}) == list{"symbol_names_inner()", "symbol_names_outer()"});
  CHECK(names({request, request, inner}) == list{"symbol_names_inner()"});
  CHECK(names({outer, outer, outer, request, inner}) == list{"symbol_names_inner()"});
  // Only its own functions can be before it.
  CHECK(names({outer, outer, outer, outer, request, inner}).size() == 6);
  CHECK(names({request}).empty());
}
