// SPDX-License-Identifier: MIT
#include "analysis/name_pattern.hpp"

#include <stdexcept>

#include "support/catch2.hpp"

using namespace memprof::analysis;

TEST_CASE("patterns of names") {
  CHECK(name_pattern("map").matches("List.map"));
  CHECK_FALSE(name_pattern("=map").matches("List.map"));
  CHECK(name_pattern("=").matches(""));
  CHECK_FALSE(name_pattern("=").matches("f"));
  CHECK(name_pattern("equals:a").matches("a"));
  CHECK(name_pattern("/^L.*p$/").matches("List.map"));
  CHECK_FALSE(name_pattern("regex:^m").matches("List.map"));
  CHECK(name_pattern("contains:/a/").matches("src/a/b.cpp"));
  CHECK_THROWS_AS(name_pattern("/(/"), std::invalid_argument);
}

TEST_CASE("what a regular expression may not have is named") {
  // libstdc++ computes with such a count until it overflows, and takes {4294967297} for {1}.
  for (std::string const count : {"{1001}", "{8888888888888888888}", "{2,4294967297}", "{,1001}"}) {
    CAPTURE(count);
    CHECK_THROWS_WITH(name_pattern("/x" + count + "/"),
                      "the regular expression '/x" + count + "/': more than 1000 repetitions");
  }
  CHECK(name_pattern("/^x{1000}$/").matches(std::string(1000, 'x')));
  CHECK(name_pattern("/^x{2,1000}$/").matches("xx"));
  CHECK(name_pattern("/^x{2,}y{1}$/").matches("xxxy"));
  // No counts: of a template, in brackets, and after a backslash.
  CHECK(name_pattern("/<int,5000>/").matches("array<int,5000>"));
  CHECK(name_pattern("/[{5000]x\\{5000/").matches("{x{5000"));
  CHECK_THROWS_WITH(name_pattern("/((x{1000}){1000}){1000}/"),
                    "the regular expression '/((x{1000}){1000}){1000}/': it repeats too much");
  for (std::string const back : {"\\1", "\\88888888888888888888"}) {
    CHECK_THROWS_WITH(
        name_pattern("/(a)" + back + "/"),
        "the regular expression '/(a)" + back + "/': back references are not supported");
  }
  CHECK_THROWS_WITH(name_pattern("/" + std::string(1001, 'a') + "/"),
                    Catch::Matchers::ContainsSubstring("more than 1000 characters"));
}

TEST_CASE("no expression and no name takes for ever, or a stack too deep") {
  // By going back this would take longer than the universe is old; the test would time out.
  CHECK_FALSE(name_pattern("/(a*)*b/").matches(std::string(1000, 'a')));
  CHECK_FALSE(name_pattern("/(x+x+)+y/").matches(std::string(1000, 'x')));
  CHECK(name_pattern("/(.|x)*y$/").matches(std::string(1000, 'x') + 'y'));
  CHECK(name_pattern("/a/").matches(std::string(1 << 20, 'a')));
  const std::string name(5000, 'a');  // of a template
  CHECK(name_pattern("=" + name).matches(name));
}
