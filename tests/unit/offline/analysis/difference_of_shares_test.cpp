// SPDX-License-Identifier: MIT
#include "analysis/difference_of_shares.hpp"

#include <random>

#include "support/catch2.hpp"
#include "support/coverage.hpp"

using namespace memprof::analysis;

TEST_CASE("shares: Fisher's exact test, twice the smaller tail") {
  // By whole numbers, with Python's math.comb.
  CHECK(chance_of_shares(900, 1000, 800, 1000) == Approx(4.1462306224363905e-10).epsilon(1e-12));
  CHECK(chance_of_shares(800, 1000, 900, 1000) == Approx(4.1462306224363905e-10).epsilon(1e-12));
  CHECK(chance_of_shares(3, 10, 1, 12) == Approx(0.45112781954887216).epsilon(1e-12));
  CHECK(chance_of_shares(0, 20, 7, 30) == Approx(0.040763122169227624).epsilon(1e-12));
  CHECK(chance_of_shares(40, 300, 90, 400) == Approx(0.0024988876993461686).epsilon(1e-12));
  CHECK(chance_of_shares(5, 10, 5, 10) == 1);
  CHECK(chance_of_shares(0, 10, 0, 10) == 1);
  CHECK(chance_of_shares(10, 10, 7, 7) == 1);
  CHECK(chance_of_shares(0, 0, 3, 7) == 1);
}

// Two traces of which 80 % are one row: as `diff --normalize total` judges them.
TEST_CASE("shares: what is equal is called different as rarely as promised") {
  std::mt19937_64 random(20261124);
  memprof::test::coverage_count below("equal shares of 0.8, chance below 0.05", 0.05);
  for (int i = 0; i < 4000; ++i) {
    std::poisson_distribution<unsigned> row(400), rest(100);
    const unsigned a = row(random), b = row(random);
    const double p = chance_of_shares(a, a + rest(random), b, b + rest(random));
    below.add(1, 1, p < 0.05 ? 2 : 0, 3);
  }
  below.print();
  CHECK(below.misses() <= below.most_misses());
  CHECK(below.misses() > 4000 / 50);  // and is not called equal for want of sensitivity
}
