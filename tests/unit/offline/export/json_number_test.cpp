// SPDX-License-Identifier: MIT
#include "export/json_number.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "support/catch2.hpp"

using namespace memprof::exports;

namespace {
std::string text(double number) { return json_text(json_number(number)); }
}  // namespace

TEST_CASE("json_number: whole numbers have no point, others their shortest text") {
  CHECK(text(0) == "0");
  CHECK(text(-3) == "-3");
  CHECK(text(1e6) == "1000000");
  CHECK(text(9007199254740991.0) == "9007199254740991");  // 2^53 - 1
  CHECK(text(0.1) == "0.1");
  CHECK(text(-2.5) == "-2.5");
  CHECK(std::stod(text(0x1p53)) == 0x1p53);
  CHECK(std::stod(text(1.0 / 3.0)) == 1.0 / 3.0);
}

TEST_CASE("json_number: what JSON has no number for is null") {
  CHECK(text(std::nan("")) == "null");
  CHECK(text(std::numeric_limits<double>::infinity()) == "null");
  CHECK(text(-std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("json_text: bytes that are not UTF-8 are replaced, and lines are indented") {
  CHECK(json_text("a\xff"
                  "b") == "\"a\uFFFDb\"");
  const nlohmann::ordered_json object{{"b", 1}, {"a", 2}};
  CHECK(json_text(object) == R"({"b":1,"a":2})");
  CHECK(json_text(object, 1) == "{\n \"b\": 1,\n \"a\": 2\n}");
}
