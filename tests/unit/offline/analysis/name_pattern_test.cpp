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

TEST_CASE("no expression and no name takes for ever, or a stack too deep") {
  // By going back this would take longer than the universe is old; the test would time out.
  CHECK_FALSE(name_pattern("/(a*)*b/").matches(std::string(1000, 'a')));
  CHECK_FALSE(name_pattern("/(x+x+)+y/").matches(std::string(1000, 'x')));
  CHECK(name_pattern("/(.|x)*y$/").matches(std::string(1000, 'x') + 'y'));
  CHECK(name_pattern("/a/").matches(std::string(1 << 20, 'a')));
  CHECK_THROWS_AS(name_pattern("/(a)\\1/"), std::invalid_argument);
  CHECK_THROWS_AS(name_pattern("/" + std::string(1001, 'a') + "/"), std::invalid_argument);
  const std::string name(5000, 'a');  // of a template
  CHECK(name_pattern("=" + name).matches(name));
}
