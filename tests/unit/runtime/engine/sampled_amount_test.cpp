// SPDX-License-Identifier: MIT
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "engine/engine.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::engine;

TEST_CASE("estimates: bounds are the exact Poisson bounds, for few samples too") {
  const double confidence = GENERATE(0.9, 0.95, 0.999);
  const int n = GENERATE(1, 2, 5, 10, 100, 10'000);
  const double interval = 80'000;
  const estimate e = amount_of_samples(n, interval).with(confidence);
  const double tail = (1 - confidence) / 2;
  using boost::math::chi_squared;
  const double lower = quantile(chi_squared(2.0 * n), tail) / 2 * interval;
  const double upper = quantile(complement(chi_squared(2.0 * n + 2), tail)) / 2 * interval;
  CAPTURE(n, confidence);
  CHECK(static_cast<double>(e.value.count()) == n * interval);
  // Rounded away from the value, to whole bytes.
  CHECK(std::abs(static_cast<double>(e.lower.count()) - lower) <= 1.01);
  CHECK(std::abs(static_cast<double>(e.upper.count()) - upper) <= 1.01);
  CHECK(e.samples == static_cast<std::uint64_t>(n));
  CHECK(e.confidence == confidence);
}

TEST_CASE("estimates: nothing seen still has an upper bound, everything seen has no error") {
  const estimate none = amount_of_samples(0, 80'000).with(0.95);
  CHECK(none.value.count() == 0);
  CHECK(none.lower.count() == 0);
  CHECK(none.upper.count() > 3 * 80'000);  // -ln 0.025 = 3.7 intervals
  CHECK(none.upper.count() < 5 * 80'000);
  const estimate all = amount_of_samples(12'345, 8).with(0.95);
  CHECK(all.lower == all.value);
  CHECK(all.upper == all.value);
}

// A heap of a few large blocks has hardly any variance. What small ones may be beside them it does
// not show, so the upper bound must leave room for them.
TEST_CASE("estimates: large blocks alone leave room for small ones that were not seen") {
  const double rate = configured_process_rate();
  configure_process_rate(1e-4);
  process_totals.interval = 0.0;  // as if no thread had sampled yet
  live_sum large;
  for (int i = 0; i < 3; ++i) large.add(contribution_of(10'000'000, 1e-4).rounded());
  const estimate e = amount_of_process(large).with(0.95);
  configure_process_rate(rate);
  CHECK(e.value.count() == 240'000'000);
  CHECK(e.lower == e.value);
  CHECK(e.upper.count() > 240'000'000 + 36 * 8'000);
  CHECK(e.upper.count() < 240'000'000 + 40 * 80'000);
}
