// SPDX-License-Identifier: MIT
#include <boost/math/distributions/chi_squared.hpp>
#include <catch2/catch.hpp>

#include "engine/engine.hpp"

using namespace memprof;
using namespace memprof::engine;

TEST_CASE("estimates: bounds are near the exact Poisson bounds, for few samples too") {
  const double confidence = GENERATE(0.9, 0.95, 0.999);
  const int n = GENERATE(5, 10, 100, 10'000);
  const double interval = 80'000;
  const estimate e = estimate_of_samples(n, interval, confidence);
  const double tail = (1 - confidence) / 2;
  using boost::math::chi_squared;
  const double lower = quantile(chi_squared(2.0 * n), tail) / 2 * interval;
  const double upper = quantile(complement(chi_squared(2.0 * n + 2), tail)) / 2 * interval;
  CAPTURE(n, confidence);
  CHECK(static_cast<double>(e.value.count()) == n * interval);
  const double error = confidence > 0.95 ? 0.1 : 0.015;  // as src/engine/totals.cpp says
  CHECK(static_cast<double>(e.lower.count()) == Approx(lower).epsilon(error));
  CHECK(static_cast<double>(e.upper.count()) == Approx(upper).epsilon(error));
  CHECK(e.samples == static_cast<std::uint64_t>(n));
  CHECK(e.confidence == confidence);
}

TEST_CASE("estimates: nothing seen still has an upper bound, everything seen has no error") {
  const estimate none = estimate_of_samples(0, 80'000, 0.95);
  CHECK(none.value.count() == 0);
  CHECK(none.lower.count() == 0);
  CHECK(none.upper.count() > 3 * 80'000);  // -ln 0.025 = 3.7 intervals
  CHECK(none.upper.count() < 5 * 80'000);
  const estimate all = estimate_of_samples(12'345, 8, 0.95);
  CHECK(all.lower == all.value);
  CHECK(all.upper == all.value);
}
