// SPDX-License-Identifier: MIT
#include "analysis/amount_text.hpp"

#include <chrono>
#include <cmath>

#include "support/catch2.hpp"

using namespace memprof::analysis;
using std::chrono::microseconds;

TEST_CASE("amounts as text") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1024) == "1.00 KiB");
  CHECK(bytes_text(1048575) == "1.00 MiB");
  CHECK(bytes_text(-3.5 * 1048576) == "-3.50 MiB");
  CHECK(bytes_text(std::nan("")) == "?");
  CHECK(signed_bytes_text(2048) == "+2.00 KiB");
  CHECK(percent_text(1, 3) == "33.3 %");
  CHECK(percent_text(1, 0) == "-");
  CHECK(count_text(1234567) == "1,234,567");
  CHECK(count_text(0, "block") == "0 blocks");
  CHECK(count_text(1, "block") == "1 block");
  CHECK(count_text(1234567, "block") == "1,234,567 blocks");
  CHECK(duration_text(microseconds(999)) == "999 us");
  CHECK(duration_text(microseconds(8'063'930)) == "8.06 s");
  CHECK(duration_text(microseconds(125'000'000)) == "2 min 5 s");
}

TEST_CASE("errors are rounded up, and are 1 % at least") {
  CHECK(error_text(0.0149) == "+-2 %");
  CHECK(error_text(0.12) == "+-12 %");
  CHECK(error_text(0.1200001) == "+-13 %");
  CHECK(error_text(0.0001) == "+-1 %");
  CHECK(error_text(4.572) == "+-458 %");
}
