// SPDX-License-Identifier: MIT
#include "serve/request.hpp"

#include <vector>

#include "support/catch2.hpp"

using namespace memprof::serve;

TEST_CASE("parameters are read once, and none may be left") {
  parameters p({{"a", "1"}, {"b", "x"}, {"a", "2"}, {"base.c", "3"}, {"function", "f"}});
  CHECK(p.text("a") == "2");
  CHECK(p.text("a") == "");
  CHECK(p.selection().size() == 1);
  const auto base = p.with_prefix("base.");
  REQUIRE(base.size() == 1);
  CHECK(base[0].name == "c");
  CHECK_THROWS_AS(p.finish(), bad_parameter);
  CHECK_THROWS_AS(p.count("b", 1, 0, 10), bad_parameter);
  CHECK_NOTHROW(p.finish());
  CHECK(p.count("gone", 7, 0, 10) == 7);
}

TEST_CASE("queries are decoded, and keep what comes twice") {
  using list = std::vector<memprof::analysis::named_text>;
  CHECK(parse_query("").empty());
  CHECK(parse_query("zoom=f&zoom=f&a=1") == list{{"zoom", "f"}, {"zoom", "f"}, {"a", "1"}});
  CHECK(parse_query("a=x%20y+z%2B&&b&c=%zz%4") == list{{"a", "x y z+"}, {"b", ""}, {"c", "%zz%4"}});
  CHECK(parse_query("a=b=c&=d&%61=%3D%26#e=f") == list{{"a", "b=c"}, {"", "d"}, {"a", "=&"}});
}
