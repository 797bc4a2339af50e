// SPDX-License-Identifier: MIT
#include "text/utf8.hpp"

#include "support/catch2.hpp"

using namespace memprof::text;

TEST_CASE("UTF-8: what is none is replaced") {
  CHECK(utf8("a\u00e4\u20ac\U0001f600") == "a\u00e4\u20ac\U0001f600");
  CHECK(utf8("\xc3") == "\xef\xbf\xbd");
  CHECK(utf8("\xc0\x80x") == "\xef\xbf\xbd\xef\xbf\xbdx");
  CHECK(utf8("\xed\xa0\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(utf8("\xf5\x80\x80\x80").size() == 12);
}
