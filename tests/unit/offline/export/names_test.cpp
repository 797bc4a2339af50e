// SPDX-License-Identifier: MIT
#include "export/names.hpp"

#include "support/catch2.hpp"

using namespace memprof::exports;

TEST_CASE("names: no byte of a trace makes another field of CSV, or a formula") {
  CHECK(csv_field("plain") == "plain");
  CHECK(csv_field("a,\"b\"") == "\"a,\"\"b\"\"\"");
  CHECK(csv_field("a\r\n\x1b\xff") == R"(a\r\n\x1b\xff)");
  CHECK(csv_field("=1+1") == "'=1+1");
  CHECK(csv_field("+f") == "'+f");
  CHECK(csv_field("@f,") == "\"'@f,\"");
  CHECK(csv_field("-[A b:]") == "'-[A b:]");
  CHECK(csv_field("\t=f") == R"(\t=f)");
  CHECK(csv_field("operator=") == "operator=");
}
