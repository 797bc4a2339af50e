// SPDX-License-Identifier: MIT
#include "analysis/effective_share.hpp"

#include "support/catch2.hpp"

using namespace memprof::analysis;

TEST_CASE("shares of whole numbers have Clopper and Pearson's interval") {
  // By sums of binomial terms, and bisection.
  struct row {
    double share, effective, lower, upper;
  };
  for (row const& r :
       {row{0, 3, 0, 0.70759822}, row{1, 3, 0.29240178, 1}, row{2.0 / 3, 3, 0.09429932, 0.99159624},
        row{17.0 / 40, 40, 0.27042903, 0.59109942}, row{0.99, 100, 0.94554061, 0.99974686},
        // Tails far from the share are 0 in double precision here.
        row{1777.0 / 3360, 3360, 0.51182320, 0.54586461}, row{0.2, 2000, 0.18266930, 0.21821466},
        row{0.99995, 20000, 0.99972145, 0.99999873}}) {
    const estimated e = effective_share(r.share, r.effective);
    CHECK(e.lower == Approx(r.lower).epsilon(1e-6));
    CHECK(e.upper == Approx(r.upper).epsilon(1e-6));
  }
}

TEST_CASE("fractions of observations widen the interval, never narrow it") {
  // 0.4 of 6.5: as of six, from 2 to 3 of them.
  const estimated e = effective_share(0.4, 6.5);
  CHECK(e.value == 0.4);
  CHECK(e.lower == Approx(0.0432719).epsilon(1e-5));
  CHECK(e.upper == Approx(0.8818828).epsilon(1e-5));
  CHECK(effective_share(1, 0.2).lower == Approx(0.025));
  // Of very many it is narrow, though not without a width.
  CHECK(effective_share(0.3, 1e9).lower == Approx(0.3).epsilon(1e-4));
  CHECK(effective_share(0.3, 1e9).lower < 0.29999);
}

TEST_CASE("a share of samples has the same interval") {
  const estimated half = estimated_share(5, 10);
  CHECK(half.value == 0.5);
  CHECK(half.lower == Approx(0.18708603).epsilon(1e-6));
  CHECK(half.upper == Approx(0.81291397).epsilon(1e-6));
  // Of none or all of few, the other end is far.
  CHECK(estimated_share(0, 3).upper == Approx(0.70759822).epsilon(1e-6));
  CHECK(estimated_share(0, 0).upper == 0);
}
