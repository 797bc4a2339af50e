// SPDX-License-Identifier: MIT
#include "export/names.hpp"

#include "support/catch2.hpp"

using namespace memprof::exports;

TEST_CASE("names: no byte of a trace makes invalid UTF-8, JSON or CSV") {
  CHECK(utf8("a\u00e4\u20ac\U0001f600") == "a\u00e4\u20ac\U0001f600");
  CHECK(utf8("\xc3") == "\xef\xbf\xbd");
  CHECK(utf8("\xc0\x80x") == "\xef\xbf\xbd\xef\xbf\xbdx");
  CHECK(utf8("\xed\xa0\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(utf8("\xf5\x80\x80\x80").size() == 12);
  CHECK(json_string("a\"\\\n\x01") == "\"a\\\"\\\\\\u000a\\u0001\"");
  CHECK(csv_field("plain") == "plain");
  CHECK(csv_field("a,\"b\"") == "\"a,\"\"b\"\"\"");
}
