// SPDX-License-Identifier: MIT
#include "trace/notices.hpp"

#include "support/catch2.hpp"

TEST_CASE("notices: each with its byte, and a bounded number of them") {
  memprof::trace::notices n;
  CHECK(n.all().empty());
  n.add("odd", 12);
  REQUIRE(n.all().size() == 1);
  CHECK(n.all()[0] == "odd at byte 12");
  for (int i = 0; i < 5'000; ++i) n.add("odd", 13);
  REQUIRE(n.all().size() == 1'001);
  CHECK(n.all()[999] == "odd at byte 13");
  CHECK(n.all()[1'000] == "and more of that kind");
}
