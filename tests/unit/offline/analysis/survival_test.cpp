// SPDX-License-Identifier: MIT
#include "analysis/survival.hpp"

#include <cmath>

#include "support/catch2.hpp"

using namespace memprof::analysis;

TEST_CASE("survival: Kaplan and Meier's estimator, with Greenwood's error") {
  survival_builder b;
  // Exact bins below 16. 10 at risk: 2 die at 1; 2 are lost at 2; 3 die at 3; 3 live on at 15.
  b.died(1, 2);
  b.still_lives(2, 1);
  b.still_lives(2, 1);
  for (int i = 0; i < 3; ++i) b.died(3, 1);
  for (int i = 0; i < 3; ++i) b.still_lives(15, 1);
  const auto curve = b.curve();
  REQUIRE(curve.size() == 5);
  CHECK(curve[1].share == Approx(0.8));
  CHECK(curve[2].share == Approx(0.8));
  CHECK(curve[3].share == Approx(0.8 * 0.5));
  CHECK(curve[3].age == 4);
  CHECK(curve[4].share == Approx(0.4));
  CHECK(curve[4].at_risk == 0);
  // sum n^2 / sum n = (4 + 8) / 10; Greenwood 2/(10*8) + 3/(6*3)
  const double error =
      std::sqrt((2.0 / 80 + 3.0 / 18) * 1.2) / std::abs(std::log(0.4)) * 1.959963984540054;
  CHECK(curve[3].lower == Approx(std::pow(0.4, std::exp(error))));
  CHECK(curve[3].upper == Approx(std::pow(0.4, std::exp(-error))));
  CHECK(b.mean_age_at_death() == Approx((2 + 9) / 5.0));
}
