// SPDX-License-Identifier: MIT
#include "sampling/geometric_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "sampling/binomial.hpp"
#include "support/catch2.hpp"
#include "support/goodness_of_fit.hpp"
#include "unit/runtime/sampling/seeded.hpp"

namespace {

using memprof::sampling::geometric_distribution;
using memprof::sampling::next;
using memprof::sampling::random_state;
using memprof::sampling::thin;
using memprof::test::binomial_test_p;
using memprof::test::false_alarm;
using memprof::test::geometric_fit_p;
using memprof::test::seeded;
using memprof::test::z_test_p;

static_assert(std::is_trivially_copyable_v<geometric_distribution>);
static_assert(std::is_trivially_destructible_v<geometric_distribution>);
constinit thread_local geometric_distribution zero_initialised{};

constexpr std::size_t draws = 300'000;

std::vector<std::int64_t> sample(double per_word, std::uint64_t number) {
  auto random = seeded(number);
  geometric_distribution const law(per_word);
  std::vector<std::int64_t> gaps(draws);
  for (auto& gap : gaps) gap = law.draw(random);
  return gaps;
}

bool same(random_state const& a, random_state const& b) { return std::ranges::equal(a.s, b.s); }

}  // namespace

TEST_CASE("rate 1 marks every word and takes no randomness", "[sampling]") {
  auto random = seeded(1);
  auto const before = random;
  geometric_distribution const law(1);
  CHECK(law.per_word() == 1);
  for (int i = 0; i < 1000; ++i) REQUIRE(law.draw(random) == 1);
  CHECK(same(random, before));
}

TEST_CASE("rate 0 marks nothing and takes no randomness", "[sampling]") {
  auto random = seeded(1);
  auto const before = random;
  CHECK(zero_initialised.per_word() == 0);
  CHECK(zero_initialised.draw(random) == geometric_distribution::never);
  CHECK(geometric_distribution(0).draw(random) == geometric_distribution::never);
  CHECK(geometric_distribution(-0.).draw(random) == geometric_distribution::never);
  CHECK(same(random, before));
}

TEST_CASE("a rate outside [0, 1] is the nearest end, NaN is 0", "[sampling]") {
  CHECK(geometric_distribution(-1e-4).per_word() == 0);
  CHECK(geometric_distribution(std::numeric_limits<double>::quiet_NaN()).per_word() == 0);
  CHECK(geometric_distribution(1.5).per_word() == 1);
  CHECK(geometric_distribution(std::numeric_limits<double>::infinity()).per_word() == 1);
  CHECK(geometric_distribution(1e-4).per_word() == 1e-4);
}

TEST_CASE("no gap is under 1 or over never, at any rate", "[sampling]") {
  auto random = seeded(2);
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  for (double per_word :
       {1 - 0x1p-53, 0.5, 1e-4, 1e-12, 1e-18, 0x1p-62, 1e-19, 1e-30, 1e-307, tiny}) {
    INFO("rate " << per_word);
    geometric_distribution const law(per_word);
    for (int i = 0; i < 10'000; ++i) {
      std::int64_t const gap = law.draw(random);
      REQUIRE(gap >= 1);
      REQUIRE(gap <= geometric_distribution::never);
      if (per_word < 1e-30) REQUIRE(gap == geometric_distribution::never);  // else once in 1e12
    }
  }
  // The longest gap that the generator can produce, on either side of the cap.
  random_state longest{};
  CHECK(geometric_distribution(1e-4).draw(longest) ==
        Approx(1022 * std::log(2) * 1e4).epsilon(1e-3));
  CHECK(geometric_distribution(1e-15).draw(longest) ==
        Approx(1022 * std::log(2) * 1e15).epsilon(1e-12));
  CHECK(geometric_distribution(1e-16).draw(longest) == geometric_distribution::never);
}

TEST_CASE("gaps have the geometric law", "[sampling]") {
  // Each rate fails once in 1e11 seeds.
  auto const per_word = GENERATE(0.99, 0.5, 0.1, 1e-2, 1e-4, 1e-6, 1e-12);
  INFO("rate " << per_word);
  CHECK(geometric_fit_p(sample(per_word, 3), per_word) > false_alarm);
}

TEST_CASE("the smallest gaps and the tail have their exact probabilities", "[sampling]") {
  // P(G > n) for n = 1, 2, 3, and where it is 1e-2, 1e-3, 1e-4. Exact tests: each rate fails less
  // than 6 times in 1e11 seeds.
  auto const per_word = GENERATE(0.5, 0.1, 1e-2, 1e-4, 1e-6);
  auto const gaps = sample(per_word, 4);
  std::vector<std::int64_t> bounds{1, 2, 3};
  for (double survival : {1e-2, 1e-3, 1e-4})
    bounds.push_back(std::llround(std::log(survival) / std::log1p(-per_word)));
  for (std::int64_t const bound : bounds) {
    INFO("rate " << per_word << ", P(G > " << bound << ")");
    auto const longer = std::ranges::count_if(gaps, [&](std::int64_t g) { return g > bound; });
    double const survival = std::exp(static_cast<double>(bound) * std::log1p(-per_word));
    // Of the two complementary events the rarer, whose probability is accurate.
    double const marked = -std::expm1(static_cast<double>(bound) * std::log1p(-per_word));
    if (survival < 0.5)
      CHECK(binomial_test_p(static_cast<std::uint64_t>(longer), draws, survival) > false_alarm);
    else
      CHECK(binomial_test_p(draws - static_cast<std::uint64_t>(longer), draws, marked) >
            false_alarm);
  }
}

TEST_CASE("gaps have mean 1/p and variance (1-p)/p^2", "[sampling]") {
  // Relative to the deviation, (G - mean)^2 has mean 1 and variance 8 + p^2 / (1-p). Each rate
  // fails 5 times in 1e11 seeds (the square is skewed, 11 for small p: a factor of 3).
  auto const per_word = GENERATE(0.5, 1e-2, 1e-4, 1e-6);
  INFO("rate " << per_word);
  double const mean = 1 / per_word;
  double const deviation = std::sqrt(1 - per_word) / per_word;
  double sum = 0;
  double squares = 0;
  for (std::int64_t const gap : sample(per_word, 5)) {
    double const z = (static_cast<double>(gap) - mean) / deviation;
    sum += z;
    squares += z * z;
  }
  double const kurtosis = 8 + per_word * per_word / (1 - per_word);
  CHECK(z_test_p(sum / draws, 0, 1 / std::sqrt(draws)) > false_alarm);
  CHECK(z_test_p(squares / draws, 1, std::sqrt(kurtosis / draws)) > false_alarm);
}

TEST_CASE("gaps between the marks that thinning keeps have the lower rate's law", "[sampling]") {
  // Each rate fails once in 1e11 seeds.
  auto random = seeded(6);
  double const from = GENERATE(1., 1e-2, 1e-3);
  double const to = from / 8;
  geometric_distribution const law(from);
  std::vector<std::int64_t> gaps;
  std::int64_t gap = 0;
  for (std::size_t mark = 0; mark < 4 * draws; ++mark) {
    gap += law.draw(random);
    if (thin(random, 1, from, to) == 0) continue;
    gaps.push_back(gap);
    gap = 0;
  }
  CHECK(geometric_fit_p(gaps, to) > false_alarm);
}

TEST_CASE("gaps within a stretch are those that are drawn", "[sampling]") {
  // Stretches about as long as the gap, where the shortcut must not decide wrongly, and others.
  double const per_word = GENERATE(0., 1e-12, 1e-4, 0.3, 0.999, 1.);
  geometric_distribution const law(per_word);
  auto random = seeded(7);
  for (int i = 0; i < 20'000; ++i) {
    auto again = random;
    std::int64_t const gap = law.draw(random);
    for (std::int64_t const most : {gap - 1, gap, gap + 1, std::int64_t{0}, std::int64_t{65}}) {
      if (most < 0 || most > std::int64_t{1} << 53) continue;
      auto other = again;
      std::int64_t const expected = gap <= most ? gap : geometric_distribution::never;
      if (law.draw_within(other, most) != expected) FAIL(per_word << ' ' << gap << ' ' << most);
      auto after = random;
      if (next(other) != next(after)) FAIL("other random words");
    }
  }
}

TEST_CASE("the chance of any mark is exact where it is small, too", "[sampling]") {
  for (double const p : {1e-18, 1e-9, 1e-4, 1e-3, 0.03, 0.5, 0.999}) {
    geometric_distribution const law(p);
    for (std::int64_t const words : {1, 2, 9, 31, 32, 33, 300, 320, 10'000}) {
      INFO("rate " << p << ", words " << words);
      double const expected = -std::expm1(static_cast<double>(words) * std::log1p(-p));
      REQUIRE(law.probability_of_any(words) == Approx(expected).epsilon(4e-15));
    }
  }
  CHECK(geometric_distribution(0).probability_of_any(1'000'000) == 0);
}

TEST_CASE("the chance of no mark is the tail of the gaps", "[sampling]") {
  CHECK(geometric_distribution(0.5).probability_of_none(3) == Approx(0.125).epsilon(1e-15));
  CHECK(geometric_distribution(1e-4).probability_of_none(10'000) ==
        Approx(std::pow(1 - 1e-4, 1e4)).epsilon(1e-12));
  CHECK(geometric_distribution(1e-9).probability_of_none(1) == Approx(1 - 1e-9).epsilon(1e-15));
  CHECK(geometric_distribution(0).probability_of_none(1'000'000) == 1);
}
