// SPDX-License-Identifier: MIT
#include "memprof/bounds.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "support/catch2.hpp"
#include "unit/stats/reference_table.hpp"

using namespace memprof;
using namespace memprof::literals;
using memprof::test::number;
using memprof::test::reference_table;

// In constant expressions, at usual arguments, within the default limits of both compilers.
static_assert(probability_interrupted(64_MiB, 50_MiB) < 1e-9);
static_assert(probability_not_interrupted(64_MiB, 80_MiB) < 1e-9);
static_assert(certain_interruption(64_MiB, 1e-9) <= 80_MiB);
static_assert(probability_interrupted(10_MiB, 5_MiB) < 1e-9);
static_assert(safe_allocation(1000_kw, 4e-15) == words{408'067});
static_assert(safe_allocation(10_GiB, 1e-9) > 9_GiB);
static_assert(certain_interruption(1000_kw, 1e-9) == words{1'720'674});
static_assert(limit_for_safe(words{6'025}, 1e-9) == words{90'001});
static_assert(limit_for_safe(50_MiB, 1e-9) < 64_MiB);
static_assert(minimal_rate(1_Mw, 10, 1e-9) == 1.4e-6);
static_assert(probability_triggered(10_kw) > 0.63 && probability_triggered(0_w) == 0);

// What compiles to what.
static_assert(std::is_same_v<decltype(safe_allocation(1_w, 0.5)), words>);
static_assert(std::is_same_v<decltype(safe_allocation(1_B, 0.5)), bytes>);
static_assert(std::is_same_v<decltype(limit_for_safe(1_MiB, 0.5)), bytes>);
static_assert(probability_interrupted(80_MiB, 5_Mw) ==
              probability_interrupted(80_MiB, 40'000'000_B));

// An argument out of range is no constant.
template <int Risk>
concept constant_risk = requires {
  typename std::bool_constant<(safe_allocation(100_kw, Risk / 2.0), true)>;
};
static_assert(constant_risk<1> && !constant_risk<0> && !constant_risk<2> && !constant_risk<-1>);
template <std::int64_t N>
concept constant_amount = requires {
  typename std::bool_constant<(probability_interrupted(100_kw, words{N}), true)>;
};
static_assert(constant_amount<0> && !constant_amount<-1>);

TEST_CASE("bounds: every row of interrupt-bounds.csv to the word") {
  const auto rows = reference_table("interrupt-bounds.csv");
  REQUIRE(rows.size() == 372);
  for (auto const& row : rows) {
    const sampling_rate rate{number(row[0])};
    const std::int64_t k = std::stoll(row[1]);
    const double t = number(row[2]);
    CAPTURE(row[0], k, row[2]);
    // Any limit that waits for k samples: the first, and the whole number of intervals.
    const words least{detail::statistics::least_limit(k, 1, rate.per_word())};
    const words whole = k * rate.mean_interval();
    for (const words limit : {least, whole}) {
      CHECK(samples_to_interrupt(limit, rate) == k);
      CHECK(safe_allocation(limit, t, rate).count() == std::stoll(row[3]));
      CHECK(certain_interruption(limit, t, rate).count() == std::stoll(row[4]));
    }
  }
}

// p^k = t: an amount whose risk is t, not below it, is not safe. None of these numbers is a double.
TEST_CASE("bounds: a risk that is reached exactly is not below it") {
  for (int digits = 1; digits <= 6; ++digits) {
    const std::string text = "1e-" + std::to_string(digits);
    const double p = number(text);
    for (int k = 1; k * digits < 15; ++k) {
      const double t = number("1e-" + std::to_string(k * digits));
      const sampling_rate rate{p};
      const words limit = k * rate.mean_interval();
      CAPTURE(p, k, t);
      REQUIRE(samples_to_interrupt(limit, rate) == k);
      REQUIRE(safe_allocation(limit, t, rate) == words{k - 1});
      // k words need one sample more, and then are safe.
      REQUIRE(samples_to_interrupt(limit_for_safe(words{k}, t, rate), rate) == k + 1);
    }
  }
  // The other tail, (1-p)^n = t at k = 1: one word more is needed.
  CHECK(certain_interruption(1_w, 1e-3, sampling_rate{0.9}) == 4_w);
  CHECK(certain_interruption(1_w, 0.25, sampling_rate{0.5}) == 3_w);
  CHECK(certain_interruption(1_w, 1e-9, sampling_rate{0.999}) == 4_w);
}

// To the word wherever a word more changes the probability by more than its own error.
TEST_CASE("bounds: the inverses are inverse to the word, up to 63 bits") {
  const double p = GENERATE(1e-9, 1e-6, 1e-4, 3e-4, 1e-2, 0.3, 0.999, 1.0);
  const double t = GENERATE(1e-300, 1e-50, 4e-15, 1e-9, 1e-3, 0.3, 0.5, 0.97, 1 - 1e-9);
  const sampling_rate rate{p};
  const double below = t * (1 - 1e-14);
  const double above = t * (1 + 1e-14);
  for (const std::int64_t l : {0ll, 1ll, 10'000ll, 123'457ll, 1'000'000'000ll, (1ll << 60) - 1}) {
    const words limit{l};
    CAPTURE(p, t, l);
    const words safe = safe_allocation(limit, t, rate);
    CHECK(probability_interrupted(limit, safe, rate) < above);
    CHECK(probability_interrupted(limit, safe + 1_w, rate) >= below);
    const words certain = certain_interruption(limit, t, rate);
    CHECK(probability_not_interrupted(limit, certain, rate) < above);
    CHECK(probability_not_interrupted(limit, certain - 1_w, rate) >= below);
    if (safe > words{1ll << 60}) continue;
    const words back = limit_for_safe(safe, t, rate);
    CHECK(back <= limit);
    CHECK(probability_interrupted(back, safe, rate) < above);
    if (back > 0_w) CHECK(probability_interrupted(back - 1_w, safe, rate) >= below);
  }
}

TEST_CASE("bounds: in bytes as in words") {
  for (const std::int64_t size : {0, 1, 8, 80'000, 80'001, 10'000'000, 123'456'789}) {
    const bytes limit{size};
    const bytes least = limit_for_safe(limit, 1e-9);
    CAPTURE(size);
    CHECK(probability_interrupted(least, limit) < 1e-9);
    if (least > 0_B) CHECK(probability_interrupted(least - 1_B, limit) >= 1e-9);
    CHECK(safe_allocation(limit, 1e-9) == bytes{safe_allocation(ceil_to_words(limit), 1e-9)});
    CHECK(certain_interruption(limit, 1e-9) ==
          bytes{certain_interruption(ceil_to_words(limit), 1e-9)});
    CHECK(probability_triggered(limit) == probability_triggered(ceil_to_words(limit)));
    CHECK(probability_interrupted(limit, limit) + probability_not_interrupted(limit, limit) ==
          Approx(1));
  }
  CHECK(minimal_rate(8_MiB, 3, 1e-9) == minimal_rate(words{1 << 20}, 3, 1e-9));
}

TEST_CASE("bounds: more memory or a smaller limit never makes an interrupt less likely") {
  double before = 0;
  for (std::int64_t n = 0; n < 2'000'000; n += 777) {
    const double now = probability_interrupted(1000_kw, words{n});
    REQUIRE(now >= before * (1 - 1e-14));
    before = now;
  }
  before = 1;
  for (std::int64_t l = 0; l < 3'000'000; l += 997) {
    const double now = probability_interrupted(words{l}, 1000_kw);
    REQUIRE(now <= before * (1 + 1e-14));
    before = now;
  }
}

TEST_CASE("bounds: the minimal rate is the least of its kind") {
  for (const double ratio : {1.05, 1.5, 3.0, 10.0, 100.0}) {
    for (const std::int64_t amount : {100ll, 1'000ll, 20'000ll, 1'000'000ll, 1ll << 40}) {
      for (const double t : {1e-3, 1e-9, 1e-14, 1e-50}) {
        const words n{amount};
        const double p = minimal_rate(n, ratio, t);
        const double limit = ratio * static_cast<double>(amount);
        const auto k = static_cast<std::int64_t>(std::round(p * limit));
        CAPTURE(ratio, amount, t, p, k);
        CHECK((p > 0 && p <= 1));
        CHECK(p == Approx(static_cast<double>(k) / limit).epsilon(1e-15));
        CHECK(detail::statistics::tails(k, amount, p).upper() < t);
        if (k > 1) {
          const double less = static_cast<double>(k - 1) / limit;
          CHECK(detail::statistics::tails(k - 1, amount, less).upper() >= t);
        }
        CHECK(static_cast<double>(limit_for_safe(n, t, sampling_rate{p}).count()) <= limit);
      }
    }
  }
  // n = 1: at rate 1 a limit of 2 words is exact.
  CHECK(minimal_rate(1_w, 2, 1e-9) == 1);
}

TEST_CASE("bounds: arguments out of range are errors") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (const double t : {0.0, 1.0, -1e-9, 1.5, nan, inf}) {
    CHECK_THROWS_AS(safe_allocation(1_kw, t), std::domain_error);
    CHECK_THROWS_AS(certain_interruption(1_kw, t), std::domain_error);
    CHECK_THROWS_AS(limit_for_safe(1_kw, t), std::domain_error);
    CHECK_THROWS_AS(minimal_rate(1_kw, 10, t), std::domain_error);
    CHECK_THROWS_AS(safe_allocation(1_MiB, t), std::domain_error);
  }
  CHECK_THROWS_AS(probability_triggered(words{-1}), std::domain_error);
  CHECK_THROWS_AS(probability_triggered(bytes{-1}), std::domain_error);
  CHECK_THROWS_AS(probability_interrupted(words{-1}, 1_w), std::domain_error);
  CHECK_THROWS_AS(probability_interrupted(1_w, words{-1}), std::domain_error);
  CHECK_THROWS_AS(probability_not_interrupted(1_B, bytes{-1}), std::domain_error);
  CHECK_THROWS_AS(safe_allocation(words{-1}, 0.5), std::domain_error);
  CHECK_THROWS_AS(certain_interruption(bytes{-8}, 0.5), std::domain_error);
  CHECK_THROWS_AS(limit_for_safe(words{-1}, 0.5), std::domain_error);
  for (const double ratio : {1.0, 0.5, 0.0, -3.0, nan, inf, 1e300}) {
    CHECK_THROWS_AS(minimal_rate(1_kw, ratio, 1e-9), std::domain_error);
  }
  CHECK_THROWS_AS(minimal_rate(0_w, 10, 1e-9), std::domain_error);
  CHECK_THROWS_AS(minimal_rate(1_w, 1.5, 1e-9), std::domain_error);
  CHECK_THROWS_AS(sampling_rate{nan}, std::invalid_argument);
  CHECK_THROWS_AS(certain_interruption(1_w, 1e-9, sampling_rate{1e-25}), std::domain_error);
  CHECK_THROWS_AS(certain_interruption(1_w, 1e-9, sampling_rate{0}), std::domain_error);
  // What is out of range is named.
  CHECK_THROWS_WITH(safe_allocation(1_kw, 2.0),
                    Catch::Matchers::ContainsSubstring("safe_allocation") &&
                        Catch::Matchers::ContainsSubstring("risk, 2.0"));
}

TEST_CASE("bounds: at rate 0 nothing is sampled") {
  const sampling_rate off{0};
  const words most{std::numeric_limits<std::int64_t>::max()};
  CHECK(probability_triggered(most, off) == 0);
  CHECK(probability_interrupted(0_w, most, off) == 0);
  CHECK(probability_not_interrupted(0_w, most, off) == 1);
  CHECK(safe_allocation(0_w, 1e-9, off) == most);
  CHECK(limit_for_safe(most, 1e-9, off) == 0_w);
}
