// SPDX-License-Identifier: MIT
#include "analysis/own_frame.hpp"

#include "support/catch2.hpp"

using memprof::analysis::is_own_frame;
using memprof::trace::location;

namespace {

location at(std::string_view function, std::string_view file, std::uint32_t line) {
  return {.filename = file, .defname = function, .line = line};
}

}  // namespace

TEST_CASE("frames of the library are known by namespace, symbol or source") {
  for (char const* name :
       {"memprof::override::allocate_slow_or_interrupt", "memprof::v0::detail::run",
        "memprof::v0::detail::erased_task<my::f()::{lambda()#1}, int>::call",
        "memprof::delivery::raise", "memprof::engine::(anonymous namespace)::f",
        "(anonymous namespace)::new_slow", "(anonymous namespace)::malloc_slow(unsigned long)"}) {
    CAPTURE(name);
    CHECK(is_own_frame(at(name, "/usr/bin/server", 0)));
  }
  CHECK(is_own_frame(at("operator new", "/x/../src/runtime/override/operator_new.cpp", 101)));
  CHECK(is_own_frame(at("new_block", "/x/src/runtime/override/operator_new.cpp", 64)));
  CHECK(is_own_frame(at("place_in_next", "src/runtime/override/tracked_memory.cpp", 92)));
}

TEST_CASE("a program's functions are not taken for the library's") {
  CHECK_FALSE(is_own_frame(at("operator new", "/usr/lib/libstdc++.so.6", 0)));
  CHECK_FALSE(is_own_frame(at("(anonymous namespace)::new_slow", "/source/pool.cpp", 12)));
  CHECK_FALSE(is_own_frame(at("new_block", "/source/src/pool.cpp", 12)));
  CHECK_FALSE(is_own_frame(at("f", "/source/src/runtime/override/mine.cpp", 12)));
  CHECK_FALSE(is_own_frame(at("my::memprof::override::f", "", 0)));
  CHECK_FALSE(is_own_frame(at("memprof::analysis::read_usage", "", 0)));
  CHECK_FALSE(is_own_frame(at("memprof::", "", 0)));
  CHECK_FALSE(is_own_frame(at("", "", 0)));
}
