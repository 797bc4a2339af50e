// SPDX-License-Identifier: MIT
#include "analysis/sample_error.hpp"

#include <cmath>

#include "support/catch2.hpp"

using namespace memprof::analysis;

TEST_CASE("the chance of a difference is the binomial's") {
  // Both counts of the same amount: 3 of 10, twice P(Bin(10, 1/2) <= 3).
  CHECK(chance_of_difference(3, 1, 7, 1) == Approx(2 * 176.0 / 1024).epsilon(1e-12));
  CHECK(chance_of_difference(7, 1, 3, 1) == Approx(2 * 176.0 / 1024).epsilon(1e-12));
  CHECK(chance_of_difference(0, 1, 0, 1) == 1);
  // A sample of the first stands for ten times as much: 1 and 10 are as equal as can be.
  CHECK(chance_of_difference(1, 10, 10, 1) == 1);
  CHECK(chance_of_difference(0, 1, 20, 1) == Approx(2 * std::pow(0.5, 20)).epsilon(1e-12));
}

TEST_CASE("errors shrink as samples grow, and there is none at rate 1") {
  memprof::trace::info info;
  info.sample_rate = 1e-4;
  sample_errors errors(info);
  CHECK(errors.estimate(0).value == 0);
  CHECK(errors.estimate(0).upper > 0);
  CHECK(errors.estimate(100).value == 8e6);
  CHECK(errors.estimate(100).relative_error() == Approx(0.196).margin(0.02));
  CHECK(errors.estimate(10'000).relative_error() < 0.021);
  info.sample_rate = 1;
  sample_errors exact(info);
  CHECK(exact.estimate(7).lower == 56);
  CHECK(exact.estimate(7).upper == 56);
}
