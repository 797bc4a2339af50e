// SPDX-License-Identifier: MIT
#include "endpoints/process_facts.hpp"

#include <unistd.h>

#include "support/catch2.hpp"

using namespace memprof::endpoints;

TEST_CASE("process facts: of this process") {
  CHECK(executable_path().ends_with("unit_endpoints_test"));
  CHECK(raw_command_line(4).size() == 4);
  const std::string raw = raw_command_line(1 << 16);
  REQUIRE(raw.ends_with('\0'));
  const std::string text = command_as_text();
  CHECK(text.find("unit_endpoints_test") != std::string::npos);
  CHECK(text.find('\0') == std::string::npos);
  // Catch2 is told the test's name, which has blanks.
  CHECK(text.find("'process facts: of this process'") != std::string::npos);
  char name[256] = {};
  REQUIRE(gethostname(name, sizeof name - 1) == 0);
  CHECK(host_name() == name);
}
