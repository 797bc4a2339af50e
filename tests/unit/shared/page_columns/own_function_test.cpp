// SPDX-License-Identifier: MIT
#include "page_columns/own_function.hpp"

#include "support/catch2.hpp"

using memprof::page_columns::is_own_function;
using memprof::page_columns::task_within;

TEST_CASE("own functions: with return types and parameters, or without") {
  for (char const* name :
       {"memprof::v0::detail::run", "memprof::override::allocate_slow_or_interrupt",
        "memprof::v0::detail::run(memprof::v0::detail::scope_request const&, void (*)(void*), "
        "void*)",
        "auto memprof::v0::limit_memory<main::{lambda()#1}>(memprof::v0::bytes, "
        "main::{lambda()#1}&&)",
        "std::expected<int, memprof::v0::limit_exceeded> "
        "memprof::v0::detail::run_plain<main::{lambda()#1}>(memprof::v0::detail::scope_request "
        "const&, "
        "main::{lambda()#1}&&)",
        "memprof::copies::(anonymous namespace)::find_when_loaded",
        "memprof::engine::(anonymous namespace)::f(int)"}) {
    CAPTURE(name);
    CHECK(is_own_function(name));
  }
}

TEST_CASE("own functions: not those that only speak of them") {
  for (char const* name :
       {"main", "", "memprof::", "memprof::analysis::read_usage", "my::memprof::override::f",
        "memprof::v0::result<int> user::parse<int>(int)",
        "std::vector<memprof::v0::bytes>::push_back",
        "void user::f<memprof::v0::bytes>(memprof::v0::bytes)",
        "user::(anonymous namespace)::f(memprof::v0::limits const&)", "operator new(unsigned long)",
        "decltype (memprof::v0::f()) user::g<int>(int)", "<", ">", "(", "((((", "a b c memprof:"}) {
    CAPTURE(name);
    CHECK_FALSE(is_own_function(name));
  }
}

TEST_CASE("own functions: the task within the function that calls it") {
  CHECK(task_within("memprof::v0::detail::erased_task<main::{lambda()#1}, int>::call(void*)") ==
        "main::{lambda()#1}::operator()");
  CHECK(task_within("memprof::v0::detail::erased_task<my::f(int, std::vector<int>)::{lambda()#2}&, "
                    "std::pair<int, int> >::call") ==
        "my::f(int, std::vector<int>)::{lambda()#2}::operator()");
  CHECK(task_within("memprof::v0::detail::erased_task<my::job<int, char> const&, void>::call") ==
        "my::job<int, char>::operator()");
  CHECK(task_within("memprof::v0::detail::erased_task<int (&)(), int>::call").empty());
  CHECK(task_within("memprof::v0::detail::erased_task<").empty());
  CHECK(task_within("memprof::v0::detail::run").empty());
  CHECK(task_within("user::erased_task<x, int>::call").empty());
}
