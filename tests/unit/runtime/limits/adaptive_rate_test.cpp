// SPDX-License-Identifier: MIT
#include "limits/adaptive_rate.hpp"

#include <cmath>
#include <limits>
#include <set>

#include "support/catch2.hpp"

using memprof::detail::rate_near_limit;

TEST_CASE("adaptive rate: coarse up to half the limit, the finest at the limit and beyond") {
  for (const double used : {-1.0, 0.0, 0.25, 0.5}) CHECK(rate_near_limit(1e-5, 1e-3, used) == 1e-5);
  for (const double used : {1.0, 1.5, 100.0}) CHECK(rate_near_limit(1e-5, 1e-3, used) == 1e-3);
}

TEST_CASE("adaptive rate: in between it grows by factors of two, never beyond the finest") {
  std::set<double> rates;
  double before = 0;
  for (int i = 0; i <= 1'000; ++i) {
    const double rate = rate_near_limit(1e-5, 1e-3, i / 1'000.0);
    REQUIRE(rate >= before);
    REQUIRE(rate <= 1e-3);
    rates.insert(rate);
    before = rate;
  }
  CHECK(rates.size() == 8);  // 1e-5 x 2^0 to 2^6, and the finest
  for (const double rate : rates) {
    const double doublings = std::log2(rate / 1e-5);
    CHECK((rate == 1e-3 || doublings == std::round(doublings)));
  }
}

TEST_CASE(
    "adaptive rate: one that is not finer changes nothing, nor does a use that is no number") {
  CHECK(rate_near_limit(1e-3, 1e-4, 0.9) == 1e-3);
  CHECK(rate_near_limit(1e-3, 1e-3, 0.9) == 1e-3);
  CHECK(rate_near_limit(1e-3, 0, 0.9) == 1e-3);
  CHECK(rate_near_limit(1e-4, 1e-3, std::numeric_limits<double>::quiet_NaN()) == 1e-4);
}
