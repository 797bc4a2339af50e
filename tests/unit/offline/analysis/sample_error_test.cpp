// SPDX-License-Identifier: MIT
#include "analysis/sample_error.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "memprof/confidence.hpp"

#include "support/catch2.hpp"
#include "support/coverage.hpp"

using namespace memprof::analysis;
using memprof::test::coverage_count;

namespace {

/// `count` blocks of `words` each, header counted.
struct kind {
  int count;
  int words;
};
struct mixture {
  char const* what;
  double rate;
  std::vector<kind> kinds;
};

const std::vector<mixture> mixtures{
    {"small blocks, few samples", 1e-3, {{1500, 2}}},
    {"small blocks", 1e-3, {{50'000, 3}}},
    {"two sizes", 1e-3, {{3000, 3}, {3000, 8}}},
    {"sizes of a program", 1e-3, {{2000, 2}, {1500, 4}, {600, 10}, {100, 60}, {10, 600}}},
    {"few samples of many sizes", 1e-4, {{5000, 2}, {4000, 4}, {1500, 10}, {300, 40}}},
    {"blocks of the mean interval", 1e-3, {{40, 1000}}},
    {"blocks that are surely sampled", 1e-3, {{20, 20'000}, {5, 100'000}}},
    {"large and small ones", 1e-3, {{20, 20'000}, {3000, 5}}},
    {"five of 100 kw, and small ones", 1e-4, {{5, 100'000}, {5000, 2}}},
    {"one large block, small ones unseen", 1e-4, {{1, 1'000'000}, {3000, 2}}},
    {"a high rate", 0.2, {{100, 2}, {50, 5}, {10, 50}}},
};

amount draw(mixture const& m, std::mt19937_64& random) {
  amount sum;
  for (kind const& k : m.kinds) {
    std::binomial_distribution<int> samples(k.words, m.rate);
    for (int i = 0; i < k.count; ++i) {
      const int n = samples(random);
      if (n == 0) continue;
      sum += amount::of_block(static_cast<std::uint64_t>(n),
                              static_cast<std::uint64_t>(k.words) - 1, m.rate);
    }
  }
  return sum;
}

}  // namespace

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
  CHECK(errors.estimate(100).relative_error() == Approx(0.2163).margin(2e-4));  // 121.63 of 100
  CHECK(errors.estimate(10'000).relative_error() < 0.021);
  info.sample_rate = 1;
  sample_errors exact(info);
  CHECK(exact.estimate(7).lower == 56);
  CHECK(exact.estimate(7).upper == 56);
}

// The estimate of the number of blocks (docs/statistical.md (34), (35)), against simulated traces.
TEST_CASE("the interval of the number of blocks holds the truth") {
  constexpr int draws = 1000;
  for (mixture const& m : mixtures) {
    INFO(m.what);
    std::mt19937_64 random(20260101);
    memprof::trace::info info;
    info.sample_rate = m.rate;
    double truth = 0;
    for (kind const& k : m.kinds) truth += k.count;
    coverage_count held(m.what, 0.05);
    double sum = 0, squares = 0, variance = 0;
    for (int i = 0; i < draws; ++i) {
      const amount a = draw(m, random);
      const estimated e = objects_estimate(info, a);
      REQUIRE(e.lower <= e.value);
      REQUIRE(e.value <= e.upper);
      REQUIRE(e.upper >= static_cast<double>(a.blocks));
      held.add(truth, e.value, e.lower, e.upper);
      sum += e.value;
      squares += (e.value - truth) * (e.value - truth);
      variance += (1 - m.rate) * a.spread;
    }
    held.print();
    CHECK(held.misses() <= held.most_misses());
    // Unbiased, and so is the variance: 5 standard errors, and 15 % (5 of sqrt(2/1000), and more
    // for its own spread).
    const double deviation = std::sqrt(squares / draws);
    CHECK(std::fabs(sum / draws - truth) < 5 * deviation / std::sqrt(draws));
    CHECK(variance / draws == Approx(squares / draws).epsilon(0.25));
  }
}

TEST_CASE("blocks of one size have the interval of their count") {
  memprof::trace::info info;
  info.sample_rate = 1e-9;  // so rare that a block has one sample at most
  amount a;
  for (int i = 0; i < 12; ++i) a += amount::of_block(1, 9, info.sample_rate);
  const estimated e = objects_estimate(info, a);
  const memprof::real_interval count = memprof::poisson_interval(12, 0.95);
  CHECK(e.value == Approx(12e8));
  CHECK(e.lower == Approx(count.lower * 1e8).epsilon(1e-7));
  // The unseen may be of two words: five times as many.
  CHECK(e.upper > count.upper * 1e8);
  amount least;
  for (int i = 0; i < 12; ++i) least += amount::of_block(1, 1, info.sample_rate);
  CHECK(objects_estimate(info, least).upper == Approx(count.upper * 5e8).epsilon(1e-7));
}

TEST_CASE("at rate 1 the number of blocks is known") {
  memprof::trace::info info;
  amount a;
  for (int i = 1; i <= 5; ++i) {
    a += amount::of_block(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(i) - 1, 1);
  }
  const estimated e = objects_estimate(info, a);
  CHECK(e.value == Approx(5));
  CHECK(e.lower == e.value);
  CHECK(e.upper == e.value);
}

TEST_CASE("no sample is no proof of nothing") {
  memprof::trace::info info;
  info.sample_rate = 1e-3;
  const estimated e = objects_estimate(info, {});
  CHECK(e.value == 0);
  CHECK(e.lower == 0);
  CHECK(e.upper == Approx(1844.44).epsilon(1e-5));
}
