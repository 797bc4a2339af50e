// SPDX-License-Identifier: MIT
#include "analysis/name_pattern.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

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
