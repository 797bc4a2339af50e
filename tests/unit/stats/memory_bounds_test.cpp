// SPDX-License-Identifier: MIT
#include "memprof/memory_bounds.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "engine/engine.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::literals;

static_assert(probability_memory_interrupted(64_MiB, 50_MiB) < 1e-9);
static_assert(safe_memory(64_MiB, 1e-9) > 50_MiB);
static_assert(certain_memory_interruption(64_MiB, 1e-9) < 80_MiB);
static_assert(probability_memory_interrupted(64_MiB, block_words(1000_B), 50'000) <
              probability_memory_interrupted(64_MiB, 50'000 * block_words(1000_B)));

TEST_CASE("memory bounds: the exact law is that of weights as the engine keeps them") {
  // 3 blocks of w words: the estimate is 0 to 3 weights.
  for (const double p : {1e-4, 1e-2, 0.3}) {
    for (const std::int64_t w : {1, 9, 1'000, 50'000}) {
      const double q = inclusion_probability(words{w}, sampling_rate{p});
      CHECK(q == Approx(1 - std::pow(1 - p, static_cast<double>(w))).epsilon(1e-9));
      const engine::rounded_contribution c = engine::contribution_of(w, p).rounded();
      const double weight = static_cast<double>(c.weight) +
                            std::ldexp(static_cast<double>(c.fraction), -engine::fraction_bits);
      const double chances[] = {1 - std::pow(1 - q, 3), q * q * (3 - 2 * q), q * q * q, 0};
      for (int j = 0; j < 4; ++j) {
        CAPTURE(p, w, j);
        const auto chance = [&](double limit) {
          const bytes whole{static_cast<std::int64_t>(limit)};
          return probability_memory_interrupted(whole, words{w}, 3, sampling_rate{p});
        };
        CHECK(chance(std::ceil(j * weight)) == Approx(chances[j]).epsilon(1e-9));
        CHECK(chance(std::ceil((j + 1) * weight) - 1) == Approx(chances[j]).epsilon(1e-9));
      }
    }
  }
}

// Equal blocks exactly, from one word to half the limit: all under the bound, the small ones near.
TEST_CASE("memory bounds: the bound for any mixture is over every case of equal blocks") {
  const double p = GENERATE(1e-4, 1e-2, 0.2);
  const sampling_rate rate{p};
  for (const double samples : {3.0, 50.0, 1'000.0}) {
    const auto live = static_cast<std::int64_t>(samples / p);
    for (const double ratio : {1.05, 1.3, 2.0, 6.0}) {
      const bytes limit{static_cast<std::int64_t>(static_cast<double>(8 * live) * ratio)};
      const bytes lower{static_cast<std::int64_t>(static_cast<double>(8 * live) / ratio)};
      double largest_over = 0, largest_under = 0;
      for (std::int64_t w = 1; w <= live / 2; w += 1 + w / 3) {
        const std::int64_t blocks = live / w;
        const words n = blocks * words{w};
        const double over = probability_memory_interrupted(limit, words{w}, blocks, rate);
        const double under = 1 - probability_memory_interrupted(lower, words{w}, blocks, rate);
        CAPTURE(p, samples, ratio, w);
        REQUIRE(over <= probability_memory_interrupted(limit, n, rate));
        REQUIRE(under <= probability_memory_not_interrupted(lower, n, rate) + 1e-15);
        largest_over = std::max(largest_over, over);
        largest_under = std::max(largest_under, under);
      }
      // Chernoff's bound is too large by a factor of some sqrt(n), no more. (Farther out and at
      // high rates the rounding of weights, which it allows for, is more than that.)
      const double bound = probability_memory_interrupted(limit, words{live}, rate);
      CAPTURE(p, samples, ratio, bound, largest_over);
      if (p <= 1e-2 && bound > 1e-12) CHECK(largest_over > bound / 300);
    }
  }
}

// At a rate of 0.3 a word weighs 26.67 bytes. Kept as 27, a heap of a million single words was
// taken for 1.25 % more, eight standard deviations; and at 0.7, 11.43 kept as 11, for 3.75 % less.
TEST_CASE("memory bounds: weights at high rates are not rounded to bytes") {
  const bytes live = words{1'000'000};
  const bytes limit{8'099'000};
  CHECK(probability_memory_interrupted(limit, 1_w, 1'000'000, sampling_rate{0.3}) < 1e-12);
  CHECK(probability_memory_interrupted(limit, live, sampling_rate{0.3}) < 1e-12);
  const bytes below{7'750'000};
  CHECK(probability_memory_interrupted(below, 1_w, 1'000'000, sampling_rate{0.7}) > 1 - 1e-12);
  CHECK(probability_memory_not_interrupted(below, live, sampling_rate{0.7}) < 1e-12);
}

// At a rate of 1.2e-4 a word weighs 66 666.67 bytes, which are kept as 66 667: a heap of 2e16
// single words is taken for 5e-6 more, eight standard deviations. And 66 666.4 as 66 666.
TEST_CASE("memory bounds: the bound leaves room for the rounding of weights") {
  constexpr std::int64_t count = 20'000'000'000'000'000;
  const bytes live = words{count};
  const auto times = [&](double part) {
    return live + bytes{static_cast<std::int64_t>(part * static_cast<double>(live.count()))};
  };
  const sampling_rate rate{1.2e-4};
  const double exact = probability_memory_interrupted(times(2.5e-6), 1_w, count, rate);
  CHECK(exact > 0.5);
  CHECK(probability_memory_interrupted(times(2.5e-6), live, rate) >= exact);
  const sampling_rate other{8 / 66666.4};
  const double missed = 1 - probability_memory_interrupted(times(-3e-6), 1_w, count, other);
  CHECK(missed > 0.5);
  CHECK(probability_memory_not_interrupted(times(-3e-6), live, other) >= missed);
}

// Mixtures of several sizes, moment generating function by enumeration: equation (19).
TEST_CASE("memory bounds: no mixture has a larger exponential moment than single words") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> log_w(0, 6), log_p(-4, -0.01), log_theta(-3, 1);
  for (int i = 0; i < 20'000; ++i) {
    const double p = std::pow(10.0, log_p(random));
    const double w = std::floor(std::pow(10.0, log_w(random)));
    const double theta = std::pow(10.0, log_theta(random)) * (i % 2 == 0 ? 1 : -1);  // per S
    const double q = -std::expm1(w * std::log1p(-p));
    const double missed = std::exp(w * std::log1p(-p));
    const double grown = theta * p * w / q;
    const double block = std::abs(grown) < 1 ? std::log1p(q * std::expm1(grown))
                                             : std::log(missed + q * std::exp(grown));
    const double single_words = w * std::log1p(p * std::expm1(theta));
    CAPTURE(p, w, theta);
    if (!std::isfinite(block)) continue;
    REQUIRE(block <= single_words + 1e-12 * std::abs(single_words));
  }
}

TEST_CASE("memory bounds: inverses") {
  for (const double p : {1e-4, 1e-2, 1.0}) {
    const sampling_rate rate{p};
    for (const bytes limit : {1_MiB, 64_MiB, 10_GiB}) {
      for (const double t : {1e-3, 1e-9, 1e-50}) {
        CAPTURE(p, limit.count(), t);
        const bytes safe = safe_memory(limit, t, rate);
        CHECK(probability_memory_interrupted(limit, safe, rate) < t);
        CHECK(probability_memory_interrupted(limit, safe + 8_B, rate) >= t * (1 - 1e-12));
        const bytes certain = certain_memory_interruption(limit, t, rate);
        CHECK(probability_memory_not_interrupted(limit, certain, rate) < t);
        CHECK(probability_memory_not_interrupted(limit, certain - 8_B, rate) >= t * (1 - 1e-12));
        const bytes least = memory_limit_for_safe(limit, t, rate);
        CHECK(probability_memory_interrupted(least, limit, rate) < t);
        CHECK(probability_memory_interrupted(least - 8_B, limit, rate) >= t * (1 - 1e-12));
      }
    }
  }
}

// A ring of blocks, replaced at random. Bound 0.02 to 0.5; 4000 runs, seed fixed: more hits than
// bound + 5 standard deviations come once in 3e6 seeds if the bound were the truth.
TEST_CASE("memory bounds: churn interrupts no more often than the bound says") {
  const double p = 1e-3;
  std::mt19937_64 random(8);
  for (const std::int64_t w : {2, 200, 1'500, 5'000}) {
    const double q = inclusion_probability(words{w}, sampling_rate{p});
    const double weight = static_cast<double>(w) / q;
    const auto held = static_cast<std::size_t>(40'000 / w);
    const std::size_t turns = 4 * held;
    std::bernoulli_distribution sampled(q);
    const words live{static_cast<std::int64_t>(held) * w};
    const words total{static_cast<std::int64_t>(turns) * w};
    for (const double factor : {1.9, 2.2, 2.6}) {
      const words limit{static_cast<std::int64_t>(40'000 * factor)};
      const double bound =
          probability_memory_ever_interrupted(limit, live, total, sampling_rate{p});
      const int runs = w == 2 ? 300 : 4'000;
      int hits = 0;
      for (int run = 0; run < runs; ++run) {
        std::vector<bool> ring(held, false);
        double sum = 0;
        bool hit = false;
        for (std::size_t i = 0; i < turns && !hit; ++i) {
          const std::size_t place = i < held ? i : random() % held;
          if (ring[place]) sum -= weight;
          ring[place] = sampled(random);
          if (ring[place]) sum += weight;
          hit = sum > static_cast<double>(limit.count()) * (1 + 1e-9);
        }
        hits += hit;
      }
      CAPTURE(w, factor, bound, hits);
      CHECK(hits <= runs * bound + 5 * std::sqrt(runs * bound) + 5);
      CHECK(bound >= probability_memory_interrupted(limit, live, sampling_rate{p}));
    }
  }
}

TEST_CASE("memory bounds: variances") {
  const sampling_rate rate{1e-3};
  // 1000 blocks of w words, moments of one block by its two outcomes.
  for (const std::int64_t w : {1, 10, 1'000, 10'000}) {
    const double q = inclusion_probability(words{w}, rate);
    const double weight = static_cast<double>(w) / q;
    const double variance = 1'000 * weight * weight * q * (1 - q);
    CAPTURE(w);
    CHECK(variance_by_inclusion(words{w}, 1'000, rate) == Approx(variance).epsilon(1e-9));
    CHECK(count_variance_by_inclusion(words{w}, 1'000, rate) ==
          Approx(variance / static_cast<double>(w * w)).epsilon(1e-9));
    const double by_samples = variance_by_samples(words{1'000 * w}, rate);
    CHECK(by_samples == Approx(1'000.0 * static_cast<double>(w) * 1e3 * (1 - 1e-3)));
    CHECK(count_variance_by_samples(words{w}, 1'000, rate) ==
          Approx(by_samples / static_cast<double>(w * w)));
    CHECK(variance_by_inclusion(words{w}, 1'000, rate) <= by_samples * (1 + 1e-12));
  }
  // Equal for single words; a block of 10 S is all but exact.
  CHECK(variance_by_inclusion(1_w, 1, rate) == Approx(variance_by_samples(1_w, rate)));
  CHECK(variance_by_inclusion(10_kw, 1, rate) < 1e-3 * variance_by_samples(10_kw, rate));
}

TEST_CASE("memory bounds: at the ends of the ranges") {
  CHECK(probability_memory_interrupted(1_MiB, 1_MiB) == 1);
  CHECK(probability_memory_interrupted(1_MiB, 0_B) == 0);
  CHECK(probability_memory_not_interrupted(1_MiB, 1_MiB) == 1);
  CHECK(probability_memory_interrupted(1_MiB, 1_B, sampling_rate{1e-300}) > 0);
  CHECK(probability_memory_interrupted(1_MiB, 1_MiB, sampling_rate{1}) == 0);
  CHECK(probability_memory_interrupted(1_MiB, 1_MiB + 1_B, sampling_rate{1}) == 1);
  CHECK(probability_memory_not_interrupted(1_MiB, 1_MiB + 1_B, sampling_rate{1}) == 0);
  CHECK(safe_memory(1_MiB, 1e-9, sampling_rate{1}) == 1_MiB);
  CHECK(probability_memory_ever_interrupted(1_MiB, 0_B, 1_GiB) == 0);
  CHECK(probability_memory_interrupted(1_MiB, 100_w, 0) == 0);
}

TEST_CASE("memory bounds: arguments out of range are errors") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const sampling_rate off{0};
  CHECK_THROWS_AS(inclusion_probability(words{-1}), std::domain_error);
  CHECK_THROWS_AS(variance_by_samples(words{-1}), std::domain_error);
  CHECK_THROWS_AS(variance_by_samples(1_w, off), std::domain_error);
  CHECK_THROWS_AS(variance_by_inclusion(0_w, 1), std::domain_error);
  CHECK_THROWS_AS(count_variance_by_samples(1_w, -1), std::domain_error);
  CHECK_THROWS_AS(probability_memory_interrupted(bytes{-1}, 1_B), std::domain_error);
  CHECK_THROWS_AS(probability_memory_interrupted(1_B, bytes{-1}), std::domain_error);
  CHECK_THROWS_AS(probability_memory_interrupted(1_B, 1_B, off), std::domain_error);
  CHECK_THROWS_AS(probability_memory_interrupted(1_B, 0_w, 1), std::domain_error);
  CHECK_THROWS_AS(probability_memory_not_interrupted(bytes{-1}, 1_B), std::domain_error);
  CHECK_THROWS_AS(probability_memory_ever_interrupted(1_B, 1_B, bytes{-1}), std::domain_error);
  for (const double t : {0.0, 1.0, nan}) {
    CHECK_THROWS_AS(safe_memory(1_MiB, t), std::domain_error);
    CHECK_THROWS_AS(certain_memory_interruption(1_MiB, t), std::domain_error);
    CHECK_THROWS_AS(memory_limit_for_safe(1_MiB, t), std::domain_error);
  }
}
