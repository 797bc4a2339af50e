// SPDX-License-Identifier: MIT
#include "text/printable.hpp"

#include <cstddef>
#include <string>

#include "support/catch2.hpp"

using namespace memprof::text;
using namespace std::string_literals;

TEST_CASE("printable: what is shown as it is stays") {
  CHECK(printable("") == "");
  CHECK(printable("ns::f<int>(char const*)::{lambda()#1} ~") ==
        "ns::f<int>(char const*)::{lambda()#1} ~");
  CHECK(printable("a\u00e4\u20ac\U0001f600\u4e2d") == "a\u00e4\u20ac\U0001f600\u4e2d");
}

TEST_CASE("printable: control characters, bytes that are no UTF-8, hidden and turning characters") {
  CHECK(printable("\x1b[31m\n\r\t\0\x7f"s) == R"(\x1b[31m\n\r\t\x00\x7f)");
  CHECK(printable("\x9b\xff\xc3(\xe2\x80") == R"(\x9b\xff\xc3(\xe2\x80)");
  CHECK(printable("\xc0\x80\xed\xa0\x80\xf5") == R"(\xc0\x80\xed\xa0\x80\xf5)");
  CHECK(printable("\u009b\u00ad\u061c\u200b\u200e\u2028\u202e\u2066\ufeff\U000e0041") ==
        R"(\u009b\u00ad\u061c\u200b\u200e\u2028\u202e\u2066\ufeff\U000e0041)");
}

TEST_CASE("printable lines: lines and our own styles stay, in pieces of any size") {
  const std::string given =
      "\033[1mhead\033[0m\r\na\033[33mb\033]0;x\a\n\u202e\u00e4\xe2\x80\r\t\033[";
  const std::string expected =
      "\033[1mhead\033[0m\r\na\\x1b[33mb\\x1b]0;x\\x07\n\\u202e\u00e4\\xe2\\x80\\r\\t\\x1b[";
  CHECK(with_printable_lines(given) == expected);
  for (std::size_t size = 1; size < given.size(); ++size) {
    std::string out;
    printable_lines filter;
    for (std::size_t at = 0; at < given.size(); at += size) filter.add(given.substr(at, size), out);
    filter.finish(out);
    CHECK(out == expected);
  }
  CHECK(with_printable_lines("\033[1mx", false) == "\\x1b[1mx");
}
