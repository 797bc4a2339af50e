// SPDX-License-Identifier: MIT
#include "export/plot_ticks.hpp"

#include <string>

#include "support/catch2.hpp"

using namespace memprof::exports;

namespace {

std::string texts(axis const& a, double low, double high) {
  std::string all;
  for (tick const& t : ticks_of(a, low, high)) all += (all.empty() ? "" : "|") + t.text;
  return all;
}

}  // namespace

TEST_CASE("ticks: round in the unit of the axis") {
  CHECK(texts({"", quantity::number}, 0, 10) == "0|2|4|6|8|10");
  CHECK(texts({"", quantity::bytes}, 0, 3.1 * 0x1p20) == "0 MiB|1 MiB|2 MiB|3 MiB");
  CHECK(texts({"", quantity::time}, 0, 9.2e6) == "0 s|2 s|4 s|6 s|8 s");
  CHECK(texts({"", quantity::share}, 0, 1) == "0 %|20 %|40 %|60 %|80 %|100 %");
  CHECK(texts({"", quantity::time, true}, 5, 2e6) ==
        "10 \u00b5s|100 \u00b5s|1 ms|10 ms|100 ms|1 s");
  CHECK(texts({"", quantity::bytes, true}, 8, 1 << 12) ==
        "8 B|16 B|32 B|64 B|128 B|256 B|512 B|1 KiB|2 KiB|4 KiB");
}
