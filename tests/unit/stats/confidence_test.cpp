// SPDX-License-Identifier: MIT
#include "memprof/confidence.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "memprof/bounds.hpp"

#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::literals;
namespace s = memprof::detail::statistics;

static_assert(allocated_interval(10).lower == 47'956_w);
static_assert(poisson_interval(0).upper > 3.688 && poisson_interval(0).upper < 3.689);
static_assert(blocks_interval(3, block_words(1000_B)).lower > 3);

TEST_CASE("confidence: quantiles of the gamma law, against Boost.Math") {
  for (const double a : {1.0, 1.3, 2.0, 3.7, 10.0, 29.99, 30.0, 30.01, 123.4, 1e4, 1e6}) {
    for (const double t : {1e-15, 1e-9, 5e-4, 0.025, 0.1, 0.4, 0.5}) {
      const double lower = s::gamma_quantile(a, t, true);
      const double upper = s::gamma_quantile(a, t, false);
      CAPTURE(a, t, lower, upper);
      CHECK(boost::math::gamma_p(a, lower) == Approx(t).epsilon(1e-11));
      CHECK(boost::math::gamma_q(a, upper) == Approx(t).epsilon(1e-11));
    }
  }
}

TEST_CASE("confidence: Garwood's limits leave exactly half the rest on each side") {
  for (const double confidence : {0.5, 0.8, 0.95, 0.999, 1 - 1e-12}) {
    for (const std::uint64_t n : {0u, 1u, 2u, 5u, 30u, 1'000u, 1'000'000u}) {
      const real_interval i = poisson_interval(n, confidence);
      const double t = (1 - confidence) / 2;
      CAPTURE(confidence, n);
      if (n > 0) {
        CHECK(boost::math::gamma_p(static_cast<double>(n), i.lower) == Approx(t).epsilon(1e-10));
      } else {
        CHECK(i.lower == 0);
      }
      CHECK(boost::math::gamma_q(static_cast<double>(n) + 1, i.upper) == Approx(t).epsilon(1e-10));
    }
  }
}

// For each truth: the samples whose interval misses it have at most half the rest on each side.
TEST_CASE("confidence: intervals of words cover the truth, by enumeration") {
  const double p = GENERATE(1e-4, 1e-2, 0.5);
  const double confidence = GENERATE(0.8, 0.95, 0.999);
  const double half = (1 - confidence) / 2;
  for (const double mean : {0.01, 0.7, 3.0, 25.0}) {
    const std::int64_t truth = static_cast<std::int64_t>(mean / p) + 1;
    const boost::math::binomial law(static_cast<double>(truth), p);
    double below = 0, above = 0;
    for (std::uint64_t k = 0; k <= 100 && static_cast<std::int64_t>(k) <= truth; ++k) {
      const words_interval i = allocated_interval(k, confidence, sampling_rate{p});
      if (i.upper < words{truth}) below += pdf(law, static_cast<double>(k));
      if (i.lower > words{truth}) above += pdf(law, static_cast<double>(k));
    }
    CAPTURE(p, confidence, truth);
    CHECK(below < half);
    CHECK(above < half);
  }
}

TEST_CASE("confidence: intervals of counts are those of words at the rate of tracking") {
  const words block = block_words(1000_B);
  const double q = inclusion_probability(block);
  for (const std::uint64_t k : {0u, 1u, 7u, 500u}) {
    const count_interval i = blocks_interval(k, block);
    const words_interval w = allocated_interval(k, 0.95, sampling_rate{q});
    CHECK(i.lower == w.lower.count());
    CHECK(i.upper == w.upper.count());
  }
  // Large blocks are all tracked; at rate 1 every word counts.
  CHECK(blocks_interval(12, 1_Mw).lower == 12);
  CHECK(blocks_interval(12, 1_Mw).upper == 12);
  CHECK(allocated_interval(12, 0.95, sampling_rate{1}).lower == 12_w);
  CHECK(allocated_interval(12, 0.95, sampling_rate{1}).upper == 12_w);
}

namespace {

/// What a number of equal blocks may be seen as: c = w / S.
struct kind {
  double c, count;
  [[nodiscard]] double q() const { return -std::expm1(-c); }
  [[nodiscard]] double weight() const { return c / q(); }
  [[nodiscard]] double chance(double seen) const {
    return boost::math::pdf(boost::math::binomial(count, q()), seen);
  }
};

struct misses {
  double below = 0, above = 0;
};

/// P(the interval of an estimate misses the truth) for two kinds of blocks and D without error.
misses enumerate(kind const& a, kind const& b, double certain, double confidence) {
  misses result;
  const double truth = a.c * a.count + b.c * b.count + certain;
  const double mean = a.count * a.q();
  const double reach = 8 * std::sqrt(mean * (1 - a.q())) + 8;
  for (double i = std::max(0.0, std::floor(mean - reach)); i <= std::min(a.count, mean + reach);
       ++i) {
    for (double j = 0; j <= b.count; ++j) {
      const double chance = a.chance(i) * (b.count > 0 ? b.chance(j) : 1);
      if (chance < 1e-9) continue;
      const double value = i * a.weight() + j * b.weight() + certain;
      const double variance =
          i * a.weight() * a.weight() * (1 - a.q()) + j * b.weight() * b.weight() * (1 - b.q());
      const real_interval seen = s::live_interval(value, variance, 1.0, confidence);
      if (seen.upper < truth * (1 - 1e-12)) result.below += chance;
      if (seen.lower > truth * (1 + 1e-12)) result.above += chance;
    }
  }
  return result;
}

}  // namespace

// Small, medium and large blocks, alone, in pairs, and beside memory without error: all outcomes.
TEST_CASE("confidence: intervals of live estimates cover the truth, by enumeration") {
  const double confidence = GENERATE(0.8, 0.95, 0.999);
  const double rest = 1 - confidence;
  double worst_below = 0, worst_above = 0, worst = 0;
  for (const double c : {0.001, 0.1, 0.5, 1.0, 2.0, 4.0, 7.0}) {
    for (const double count : {1.0, 3.0, 10.0, 100.0, 3'000.0}) {
      if (c * count > 500 || c * count < 0.01) continue;
      for (const kind other : {kind{1, 0}, kind{0.01, 20}, kind{0.7, 4}, kind{3, 1}, kind{7, 20}}) {
        for (const double certain : {0.0, 20.0}) {
          const misses m = enumerate({c, count}, other, certain, confidence);
          worst_below = std::max(worst_below, m.below);
          worst_above = std::max(worst_above, m.above);
          worst = std::max(worst, m.below + m.above);
        }
      }
    }
  }
  CAPTURE(confidence, worst_below, worst_above, worst);
  // docs/statistical.md quotes this: 0.8 is missed by 0.003 at worst, the others are kept.
  CHECK(worst < rest * (confidence > 0.9 ? 1.0 : 1.015));
}

namespace {

/// P(an interval misses) for small blocks at two rates, with `old` and `recent` samples of each on
/// average: one of the first stands for `ratio` of the second.
misses enumerate_rates(double ratio, double old, double recent, double t) {
  const boost::math::poisson first(old), second(recent);
  const auto last = [](double mean) { return static_cast<int>(mean + 7 * std::sqrt(mean) + 8); };
  misses result;
  const double truth = old * ratio + recent;
  for (int i = 0; i <= last(old); ++i) {
    for (int j = 0; j <= last(recent); ++j) {
      const double chance = boost::math::pdf(first, i) * boost::math::pdf(second, j);
      if (chance < 1e-9) continue;
      const double value = i * ratio + j, variance = i * ratio * ratio + j;
      if (s::live_upper(value, value, variance, ratio, t) < truth) result.below += chance;
      if (s::live_lower(value, variance, t) > truth) result.above += chance;
    }
  }
  return result;
}

}  // namespace

// Most of all: a rate was raised, and of one old mean interval nothing was seen.
TEST_CASE("confidence: intervals of live estimates cover the truth at two rates, by enumeration") {
  const double confidence = GENERATE(0.8, 0.95, 0.999);
  double worst = 0;
  for (const double ratio : {2.0, 10.0, 100.0}) {
    for (const double old : {0.1, 0.5, 1.0, 2.0, 5.0, 20.0}) {
      for (const double recent : {0.01, 0.5, 3.0, 20.0, 100.0}) {
        const misses m = enumerate_rates(ratio, old, recent, (1 - confidence) / 2);
        worst = std::max(worst, m.below + m.above);
      }
    }
  }
  CAPTURE(confidence, worst);
  // docs/statistical.md quotes the last.
  CHECK(worst < (1 - confidence) * (confidence > 0.99 ? 1.15 : 1.0));
}

// What J of (26) is for: with one event of weight S instead, as for small blocks alone, 80
// blocks of 7 S are missed as often as docs/statistical.md says.
TEST_CASE("confidence: a large block not seen would be missed by an event of weight S") {
  const kind large{7, 80};
  double missed = 0;
  for (double i = 50; i <= 80; ++i) {
    const double value = i * large.weight();
    const double variance = value * large.weight() * (1 - large.q());
    const double upper = value - variance + s::gamma_quantile(variance + 1, 0.025, false);
    if (upper < 560) missed += large.chance(i);
  }
  CHECK(missed == Approx(0.070).margin(0.001));
  CHECK(enumerate(large, {1, 0}, 0, 0.95).below < 0.025);
}

TEST_CASE("confidence: the interval of live memory without blocks, or without error") {
  const real_interval none = s::live_interval(0, 0, 80'000, 0.95);
  CHECK(none.lower == 0);
  CHECK(none.upper == Approx(80'000 * poisson_interval(0).upper).epsilon(1e-12));
  // One block of 1 GiB: it is surely there, and small ones may be beside it.
  const real_interval large = s::live_interval(1e9, 0, 80'000, 0.95);
  CHECK(large.lower == 1e9);
  CHECK(large.upper > 1e9 + 3.6 * 80'000);
  CHECK(large.upper < 1.01e9 + 80'000);
  // Small blocks alone: Garwood.
  const real_interval small =
      s::live_interval(10 * 80'000.0, 10 * 80'000.0 * 80'000.0, 80'000, 0.95);
  CHECK(small.lower == Approx(80'000 * poisson_interval(10).lower).epsilon(1e-12));
  CHECK(small.upper == Approx(80'000 * poisson_interval(10).upper).epsilon(1e-12));
}

TEST_CASE("confidence: arguments out of range are errors") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double confidence : {0.0, 1.0, -0.5, nan}) {
    CHECK_THROWS_AS(allocated_interval(1, confidence), std::domain_error);
    CHECK_THROWS_AS(blocks_interval(1, 1_w, confidence), std::domain_error);
    CHECK_THROWS_AS(poisson_interval(1, confidence), std::domain_error);
  }
  CHECK_THROWS_AS(allocated_interval(1, 0.95, sampling_rate{0}), std::domain_error);
  CHECK_THROWS_AS(blocks_interval(1, 0_w), std::domain_error);
  CHECK_THROWS_AS(allocated_interval(~std::uint64_t{0}), std::domain_error);
}
