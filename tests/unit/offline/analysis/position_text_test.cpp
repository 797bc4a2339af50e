// SPDX-License-Identifier: MIT
#include "analysis/position_text.hpp"

#include "support/catch2.hpp"

using memprof::analysis::frame;
using memprof::analysis::position_text;

TEST_CASE("a position is written as far as it is known") {
  CHECK(position_text("a.ml", frame{.line = 12, .start_char = 3, .end_char = 17}) ==
        "a.ml:12:3-17");
  CHECK(position_text("a.ml", frame{.line = 12, .start_char = 0, .end_char = 1023}) ==
        "a.ml:12:0-1023");
  CHECK(position_text("a.cpp", frame{.line = 12, .start_char = 255, .end_char = 1023}) ==
        "a.cpp:12");
  CHECK(position_text("a.cpp", frame{.line = 12}) == "a.cpp:12");
  CHECK(position_text("libc.so.6", frame{.line = 0, .start_char = 255, .end_char = 1023}) ==
        "libc.so.6");
}
