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

TEST_CASE("templates of our headers that a program compiled are the library's, by their lines") {
  CHECK(is_own_frame(
      at("run_plain<f()::<lambda()> >", "/usr/include/memprof/detail/limit_functions.hpp", 69)));
  CHECK(is_own_frame(at("run_limited<f()::<lambda()> >", "include/memprof/limits.hpp", 9)));
  CHECK_FALSE(is_own_frame(at("{lambda#1 in a.cpp}::operator()", "/source/a.cpp", 12)));
  CHECK_FALSE(is_own_frame(at("f", "/source/include/memprof/limits.cpp", 12)));
  CHECK_FALSE(is_own_frame(at("f", "/source/other_include/memprof/limits.hpp/x.cpp", 12)));
  CHECK_FALSE(is_own_frame(at("f", "/source/otherinclude/memprof/limits.hpp", 12)));
  CHECK_FALSE(is_own_frame(at("next", "/usr/include/memprof/trace/reader.hpp", 12)));
}

TEST_CASE("std::invoke goes with the frame of ours that calls by it, and with no other") {
  memprof::analysis::own_frames ours;
  constexpr char const* functional = "/usr/include/c++/12/functional";
  CHECK_FALSE(ours.is_next_own(at("main", "/source/a.cpp", 3)));
  CHECK_FALSE(ours.is_next_own(at("std::invoke<f()::<lambda()> >", functional, 9)));
  CHECK(ours.is_next_own(at("with<f()::<lambda()> >", "/x/include/memprof/poisonable.hpp", 107)));
  CHECK(ours.is_next_own(at("invoke<f()::<lambda()> >", functional, 111)));
  CHECK(ours.is_next_own(at("std::__invoke_impl<int, f()::{lambda()#1}>", functional, 61)));
  CHECK_FALSE(ours.is_next_own(at("{lambda#1 in a.cpp}::operator()", "/source/a.cpp", 12)));
  CHECK_FALSE(ours.is_next_own(at("std::__invoke<g>", functional, 96)));
}
