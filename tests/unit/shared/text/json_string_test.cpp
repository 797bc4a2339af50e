// SPDX-License-Identifier: MIT
#include "text/json_string.hpp"

#include "support/catch2.hpp"

using namespace memprof::text;

TEST_CASE("JSON strings: quotes, backslashes and what is not printable are escaped") {
  CHECK(json_string("operator\"\"_MiB") == R"("operator\"\"_MiB")");
  CHECK(json_string("a\\b\n\x1f\x7f\xc3\xa9") == R"("a\\b\u000a\u001f\u007fé")");
  CHECK(json_string("\u202e\u2028\u009b\U000e0041") == R"("\u202e\u2028\u009b\udb40\udc41")");
  CHECK(json_string("\xff") == "\"\xef\xbf\xbd\"");
  CHECK(json_string("") == "\"\"");
}

TEST_CASE("JSON: what is not printable is escaped, and lines stay") {
  CHECK(printable_json("{\n \"a\": \"\\n\u00e4\"}\n") == "{\n \"a\": \"\\n\u00e4\"}\n");
  CHECK(printable_json("[\n\"\u202ex\x7f\"]") == "[\n\"\\u202ex\\u007f\"]");
}
