// SPDX-License-Identifier: MIT
#include "endpoints/heap_report.hpp"

#include "support/catch2.hpp"

using namespace memprof::endpoints;

namespace {

profile_snapshot snapshot(std::vector<profile_row> rows) {
  return {.per_word = 1e-3, .began = {}, .taken = {}, .rows = std::move(rows)};
}

}  // namespace

TEST_CASE("heap report: differences are never negative") {
  const profile_snapshot before = snapshot({{1, 0, 0, 2, 10, 8}, {5, 0, 0, 4, 5, 5}});
  const profile_snapshot now =
      snapshot({{1, 0, 0, 2, 30, 3}, {3, 0, 0, 9, 1, 1}, {5, 0, 0, 4, 7, 6}});
  const profile_snapshot d = difference(before, now);
  CHECK(d.rows[0].allocated == 20);
  CHECK(d.rows[0].in_use == 0);
  CHECK(d.rows[1].allocated == 1);  // a new row
  CHECK(d.rows[2].allocated == 2);
  CHECK(d.rows[2].in_use == 1);
  const profile_snapshot a = allocated_since(before, now);
  CHECK(a.rows[0].allocated == 20);
  CHECK(a.rows[0].in_use == 3);
}

TEST_CASE("heap report: text has the largest rows and says what is left out") {
  code_names names;
  const profile_snapshot s = snapshot(
      {{0, 0, 0, 2, 10, 8}, {1, 0, 0, 4, 500, 400}, {2, 0, 0, 8, 0, 0}, {3, 0, 0, 16, 7, 6}});
  const std::string text = text_of(s, names, 1);
  // 414 samples of 1000 words.
  CHECK(text.find("in use      3.159 MiB (") != std::string::npos);
  CHECK(text.find("in blocks of 24 bytes") != std::string::npos);
  CHECK(text.find("in blocks of 8 bytes") == std::string::npos);
  CHECK(text.find("2 rows more") != std::string::npos);
}
