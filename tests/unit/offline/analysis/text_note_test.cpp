// SPDX-License-Identifier: MIT
#include "analysis/text_note.hpp"

#include "support/catch2.hpp"

namespace analysis = memprof::analysis;

TEST_CASE("text note: amounts and times have units, a series is one line") {
  const auto shown = [](char const* name, char const* value) {
    return analysis::shown_value({.name = name, .value = value});
  };
  CHECK(shown("exit_began", "49193433") == "49.2 s");
  CHECK(shown("resident_peak", "40865792") == "39.0 MiB");
  CHECK(shown("anonymous_peak", "1024") == "1.00 KiB");
  CHECK(shown("resident", "250000 2048 - 1024 4096") ==
        "3 values, one each 250 ms: 1.00 MiB to 4.00 MiB");
  CHECK(shown("threads", "12 main\n13 worker") == "12 main; 13 worker");
  CHECK(shown("command", "sleep 1") == "sleep 1");
}

TEST_CASE("text note: what its recorder does not write stays as it is") {
  const auto same = [](char const* name, char const* value) {
    return analysis::shown_value({.name = name, .value = value}) == value;
  };
  CHECK(same("exit_began", ""));
  CHECK(same("exit_began", "-3"));
  CHECK(same("resident_peak", "12 MB"));
  CHECK(same("resident", ""));
  CHECK(same("resident", "250000"));
  CHECK(same("resident", "250000 - -"));
  CHECK(same("resident", "- 3"));
  CHECK(same("resident", "250000 x"));
  CHECK(same("command", "7"));
}
