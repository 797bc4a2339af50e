// SPDX-License-Identifier: MIT
#include "analysis/survival.hpp"

#include <cstdint>
#include <random>

#include "support/catch2.hpp"
#include "support/coverage.hpp"

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
  // sum n^2 / sum n = (4 + 8) / 10; Greenwood 2/(10*8) + 3/(6*3): 0.6 / (0.4 * 0.1917) / 1.2, six
  // whole observations, of which 2.4 survived. Clopper and Pearson's bounds for 2 and for 3 of 6:
  CHECK(curve[3].lower == Approx(0.0432719).epsilon(1e-5));
  CHECK(curve[3].upper == Approx(0.8818828).epsilon(1e-5));
  CHECK(b.mean_age_at_death() == Approx((2 + 9) / 5.0));
}

namespace {

/// Blocks that die at age 3 but for `share` of them, which die at 8, unless the trace ends at 5.
struct population {
  char const* what;
  int blocks;
  double share, censored;
  int most_samples;
};

}  // namespace

// docs/statistical.md (38). Of three blocks, with a share of 0.7, all or none survive in 37 % of
// cases.
TEST_CASE("survival: the interval holds the share, also where all or none survived") {
  std::mt19937_64 random(20261124);
  for (population const& p : {population{"3 blocks, 0.7 survive", 3, 0.7, 0, 1},
                              population{"10 blocks, 0.97", 10, 0.97, 0, 1},
                              population{"20 blocks, 0.5, a third observed to 5", 20, 0.5, 0.33, 1},
                              population{"60 blocks of 1 to 4 samples, 0.9", 60, 0.9, 0.2, 4}}) {
    memprof::test::coverage_count held(p.what, 0.05);
    const auto chance = [&] { return std::uniform_real_distribution<>()(random); };
    for (int run = 0; run < 1000; ++run) {
      survival_builder b;
      for (int i = 0; i < p.blocks; ++i) {
        const std::uint64_t n = 1 + random() % static_cast<unsigned>(p.most_samples);
        const bool survives = chance() < p.share;
        if (survives && chance() < p.censored)
          b.still_lives(5, n);
        else
          b.died(survives ? 8 : 3, n);
      }
      // What is printed for age 6: the last point up to it.
      survival_point at;
      for (survival_point const& point : b.curve()) {
        if (point.age <= 6) at = point;
      }
      held.add(p.share, at.share, at.lower, at.upper);
    }
    held.print();
    CHECK(held.misses() <= held.most_misses());
  }
}
