// SPDX-License-Identifier: MIT
#include "engine/contribution.hpp"

#include <cmath>

#include "engine/account.hpp"
#include "support/catch2.hpp"

using namespace memprof::engine;

namespace {

struct amounts_of_sum {
  double weight, variance, uncertain;
};

amounts_of_sum read(live_sum const& s) {
  return {static_cast<double>(s.weight) + std::ldexp(double(s.fraction), -fraction_bits),
          double(s.variance) * variance_unit + double(s.fine_variance) * fine_variance_unit,
          double(s.uncertain) * uncertain_unit};
}

}  // namespace

TEST_CASE("contributions: unbiased, exact at rate 1 and for large blocks") {
  CHECK(contribution_of(9, 1.0).weight == 72);
  CHECK(contribution_of(9, 1.0).variance == 0);
  // A small block stands for the mean interval and half of itself.
  CHECK(contribution_of(9, 1e-4).weight == Approx(8 * (1e4 + 4)).epsilon(1e-4));
  // P(a block of 1 Mw is not sampled) is e^-100.
  CHECK(contribution_of(1'000'000, 1e-4).weight == 8'000'000);
  CHECK(contribution_of(1'000'000, 1e-4).rounded().variance == 0);
  CHECK(contribution_of(1'000'000, 1e-4).rounded().fine_variance == 0);
  for (std::int64_t w : {1, 9, 500, 20'000}) {
    for (double p : {0.5, 1e-2, 1e-4, 1e-9}) {
      const double q = -std::expm1(static_cast<double>(w) * std::log1p(-p));
      const double expected = q * contribution_of(w, p).weight;
      CHECK(expected == Approx(static_cast<double>(w) * 8).epsilon(1e-6));
    }
  }
}

// What 1000 equal blocks add up to, against the unrounded numbers: the largest relative errors.
TEST_CASE("contributions: sums of rounded ones are near the exact sums at every rate") {
  for (const double p : {0.9, 0.5, 0.3, 0.1, 1e-2, 1e-3, 1e-4, 1e-6}) {
    for (const std::int64_t w : {1, 3, 9, 100, 3'000}) {
      const contribution c = contribution_of(w, p);
      live_sum sum;
      for (int i = 0; i < 1000; ++i) sum.add(c.rounded());
      const amounts_of_sum seen = read(sum);
      CAPTURE(p, w, c.weight, c.variance, seen.weight, seen.variance);
      CHECK(seen.weight == Approx(1000 * c.weight).epsilon(c.weight < 65536 ? 6e-8 : 8e-6));
      CHECK(seen.variance == Approx(1000 * c.variance).epsilon(2e-3).margin(1000 * 8e-6));
      CHECK(seen.uncertain == Approx(1000 * c.uncertain()).epsilon(1e-3).margin(1000 * 5e-4));
      CHECK(sum.whole_bytes() == static_cast<std::int64_t>(seen.weight));
      for (int i = 0; i < 1000; ++i) sum.subtract(c.rounded());
      CHECK(sum.whole_bytes() == 0);
      CHECK(read(sum).weight + read(sum).variance + read(sum).uncertain == 0);
      CHECK(sum.blocks == 0);
    }
  }
}

TEST_CASE("contributions: no rate overflows a number") {
  for (const double p : {1e-10, 1e-15, 1e-18, 1e-300}) {
    const rounded_contribution r = contribution_of(3, p).rounded();
    CHECK(r.weight > 0);
    CHECK(r.variance > 0);
    CHECK(r.uncertain > 0);
  }
}
