// SPDX-License-Identifier: MIT
#include "sampling/binomial.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sampling/geometric_distribution.hpp"
#include "support/catch2.hpp"
#include "support/goodness_of_fit.hpp"
#include "unit/runtime/sampling/seeded.hpp"

namespace {

using memprof::sampling::binomial;
using memprof::sampling::draw_marks;
using memprof::sampling::geometric_distribution;
using memprof::sampling::random_state;
using memprof::sampling::thin;
using memprof::sampling::detail::log_weight;
using memprof::test::binomial_fit_p;
using memprof::test::binomial_test_p;
using memprof::test::false_alarm;
using memprof::test::geometric_fit_p;
using memprof::test::seeded;
using memprof::test::z_test_p;

struct law {
  std::uint64_t n;
  double p;
};

std::vector<std::uint64_t> sample(law const& l, std::size_t draws, std::uint64_t number) {
  auto random = seeded(number);
  std::vector<std::uint64_t> counts(draws);
  for (auto& count : counts) count = binomial(random, l.n, l.p);
  return counts;
}

}  // namespace

TEST_CASE("binomial by a law at hand is the same, from the same random words", "[sampling]") {
  for (double p : {0.0, 1e-9, 1e-4, 0.1, 0.5, 0.7, 1.0}) {
    for (std::uint64_t n : {0u, 1u, 65u, 5000u, 1'000'000u}) {
      auto by_rate = seeded(n + 1);
      auto by_law = by_rate;
      for (int i = 0; i < 2000; ++i) {
        CHECK(binomial(by_rate, n, p) == binomial(by_law, n, geometric_distribution(p)));
      }
      CHECK(next(by_rate) == next(by_law));
    }
  }
}

TEST_CASE("binomial at its ends is exact", "[sampling]") {
  auto random = seeded(1);
  for (std::uint64_t n : {0ULL, 1ULL, 2ULL, 1000ULL, 1ULL << 53}) {
    CHECK(binomial(random, n, 0) == 0);
    CHECK(binomial(random, n, 1) == n);
    CHECK(binomial(random, n, -1) == 0);
    CHECK(binomial(random, n, 2) == n);
    CHECK(binomial(random, n, std::numeric_limits<double>::quiet_NaN()) == 0);
    CHECK(binomial(random, n, 1e-300) == 0);
  }
  for (double p : {1e-300, 1e-6, 0.5, 1 - 0x1p-53}) CHECK(binomial(random, 0, p) == 0);
  CHECK(binomial(random, 1000, 1 - 0x1p-53) == 1000);  // else once in 1e13
}

TEST_CASE("binomial of an unseeded state returns", "[sampling]") {
  random_state unseeded{};
  for (double p : {1e-9, 1e-4, 0.3, 0.5, 0.7})
    CHECK(binomial(unseeded, 1'000'000'000, p) <= 1'000'000'000);
}

TEST_CASE("marks in a stretch are binomial, and the gap after it is geometric", "[sampling]") {
  // By gaps, and from a mean of 10 on by the binomial law. Each check fails once in 1e11 seeds, at
  // worst 6 times (see binomial_fit_p).
  auto const l = GENERATE(law{1, 0.5}, law{8, 1e-2}, law{10, 0.3}, law{10'000, 1e-4}, law{19, 0.5},
                          law{100, 0.1}, law{1'000'000, 1e-3}, law{40, 0.9});
  INFO("n = " << l.n << ", p = " << l.p);
  constexpr std::int64_t from = 12'345;
  auto const to = from + static_cast<std::int64_t>(l.n);
  geometric_distribution const gaps(l.p);
  auto random = seeded(9);
  std::vector<std::uint64_t> counts;
  std::vector<std::int64_t> rests;
  for (int i = 0; i < 300'000; ++i) {
    auto const [count, next] = draw_marks(random, gaps, from, to);
    counts.push_back(count);
    rests.push_back(next - to);
  }
  CHECK(binomial_fit_p(counts, l.n, l.p) > false_alarm);
  CHECK(geometric_fit_p(rests, l.p) > false_alarm);
}

TEST_CASE("marks in a stretch at the ends of the rates", "[sampling]") {
  auto random = seeded(10);
  for (std::int64_t const length : {0, 1, 9, 10, 1000}) {
    auto const all = draw_marks(random, geometric_distribution(1), 5, 5 + length);
    CHECK(all.count == static_cast<std::uint64_t>(length));
    CHECK(all.next == 5 + length + 1);
    auto const none = draw_marks(random, geometric_distribution(0), 5, 5 + length);
    CHECK(none.count == 0);
    CHECK(none.next >= geometric_distribution::never);
  }
}

TEST_CASE("binomial has the binomial law", "[sampling]") {
  // Small means (counting gaps), large ones (rejection), both sides of the crossover at 10, and
  // p > 1/2. Each fails once in 1e11 seeds, at worst 6 times (see binomial_fit_p).
  auto const l = GENERATE(law{1, 0.5}, law{1, 1e-2}, law{10, 0.3}, law{10'000, 1e-4},  // gaps
                          law{19, 0.5}, law{20, 0.4999}, law{100, 0.0999}, law{99'999, 1e-4},
                          law{20, 0.5}, law{100, 0.1}, law{100'001, 1e-4},  // rejection
                          law{40, 0.4}, law{1000, 0.3}, law{1'000'000, 0.05}, law{10, 0.8},
                          law{40, 0.75}, law{100, 0.9}, law{1000, 0.9});  // p > 1/2
  INFO("n = " << l.n << ", p = " << l.p);
  CHECK(binomial_fit_p(sample(l, 300'000, 2), l.n, l.p) > false_alarm);
}

TEST_CASE("the rejection's weights are the binomial probabilities", "[sampling]") {
  // What 300'000 draws cannot tell: a bias of 1 %.
  for (auto const& l :
       {law{10, 0.3}, law{20, 0.5}, law{100, 0.1}, law{1000, 0.02}, law{5000, 0.4}}) {
    auto const n = static_cast<double>(l.n);
    boost::math::binomial const exact(n, l.p);
    double const mode = std::floor((n + 1) * l.p);
    for (double k = 0; k <= n; ++k) {
      double const expected = boost::math::pdf(exact, k) / boost::math::pdf(exact, mode);
      if (expected < 1e-280) continue;
      INFO("n = " << l.n << ", p = " << l.p << ", k = " << k);
      double const ratio = std::exp(log_weight(k, n, l.p) - log_weight(mode, n, l.p));
      REQUIRE(ratio == Approx(expected).epsilon(1e-11));
    }
  }
  // log P(k) / P(mode), from log-gamma functions with 60 digits (mpmath).
  struct reference {
    double n, p, k, mode, log_ratio;
  };
  for (auto const& r : {
           reference{1000000000000, 1e-06, 990000., 1000000., -50.162529871537614},
           reference{1000000000000, 1e-06, 1010000., 1000000., -49.839186859415792},
           reference{1000000000000, 0.5, 499995000000., 500000000000., -50.000000000783333},
           reference{1000000000000, 0.5, 500020000000., 500000000000., -800.00000021253333},
           reference{9007199254740992, 0.5, 4503598627370496., 4503599627370496.,
                     -222.04460492503311},
           reference{9007199254740992, 0.5, 4503599727370496., 4503599627370496.,
                     -2.220446049250313},
           reference{9007199254740992, 0.0001, 900729925474., 900719925474., -55.516501918767611},
       }) {
    INFO("n = " << r.n << ", p = " << r.p << ", k = " << r.k);
    double const error = log_weight(r.k, r.n, r.p) - log_weight(r.mode, r.n, r.p) - r.log_ratio;
    CHECK(std::abs(error) < 3 * std::abs(r.k - r.n * r.p) * 0x1p-53 + 1e-13);
  }
}

TEST_CASE("binomial of very large n", "[sampling]") {
  // Shape, mean and variance ((K - mean)^2 / variance has mean 1 and, nearly normal, variance 2;
  // exactly 2 + (1 - 6 p (1-p)) / variance). Each fails 3 to 10 times in 1e11 seeds.
  constexpr std::uint64_t trillion = 1'000'000'000'000;
  auto const l = GENERATE(law{trillion, 1e-12}, law{trillion, 1e-10}, law{trillion, 1e-6},
                          law{trillion, 0.3}, law{trillion, 0.5}, law{trillion, 0.999},
                          law{1ULL << 53, 1e-4}, law{1ULL << 53, 0.5});
  INFO("n = " << l.n << ", p = " << l.p);
  constexpr std::size_t draws = 300'000;
  auto const counts = sample(l, draws, 3);
  CHECK(binomial_fit_p(counts, l.n, l.p) > false_alarm);
  double const mean = static_cast<double>(l.n) * l.p;
  double const variance = mean * (1 - l.p);
  double sum = 0;
  double squares = 0;
  for (std::uint64_t const count : counts) {
    double const difference = static_cast<double>(count) - mean;
    sum += difference;
    squares += difference * difference / variance;
  }
  double const spread = 2 + (1 - 6 * l.p * (1 - l.p)) / variance;
  CHECK(z_test_p(sum / draws, 0, std::sqrt(variance / draws)) > false_alarm);
  CHECK(z_test_p(squares / draws, 1, std::sqrt(spread / draws)) > false_alarm);
}

TEST_CASE("the rejection's far tails have their exact probabilities", "[sampling]") {
  // What lies 3, 4 and 4.5 deviations out on either side. Exact tests: each law fails less than
  // 6 times in 1e11 seeds.
  auto const l = GENERATE(law{20, 0.5}, law{100, 0.1}, law{1000, 0.02}, law{1'000'000, 0.3});
  constexpr std::size_t draws = 1'000'000;
  boost::math::binomial const exact(static_cast<double>(l.n), l.p);
  double const mean = static_cast<double>(l.n) * l.p;
  double const deviation = std::sqrt(mean * (1 - l.p));
  auto const counts = sample(l, draws, 4);
  for (double const out : {3., 4., 4.5}) {
    double const low = std::floor(mean - out * deviation);
    double const high = std::ceil(mean + out * deviation);
    INFO("n = " << l.n << ", p = " << l.p << ", at most " << low << ", at least " << high);
    std::uint64_t lows = 0;
    std::uint64_t highs = 0;
    for (std::uint64_t const count : counts) {
      if (static_cast<double>(count) <= low) ++lows;
      if (static_cast<double>(count) >= high) ++highs;
    }
    if (low >= 0) CHECK(binomial_test_p(lows, draws, cdf(exact, low)) > false_alarm);
    CHECK(binomial_test_p(highs, draws, cdf(complement(exact, high - 1))) > false_alarm);
  }
}

TEST_CASE("thinning keeps all, none, or a binomial number", "[sampling]") {
  auto random = seeded(5);
  for (std::uint64_t n : {0ULL, 1ULL, 1'000'000ULL}) {
    CHECK(thin(random, n, 1e-4, 1e-4) == n);
    CHECK(thin(random, n, 1e-4, 1e-3) == n);
    CHECK(thin(random, n, 1e-4, 1) == n);
    CHECK(thin(random, n, 1e-4, 0) == 0);
    CHECK(thin(random, n, 1, 0) == 0);
  }
  // 3 checks, each fails once in 1e11 seeds, at worst 6 times.
  for (std::uint64_t n : {1ULL, 5ULL, 500ULL}) {
    std::vector<std::uint64_t> kept(300'000);
    for (auto& count : kept) count = thin(random, n, 1e-3, 2e-4);
    CHECK(binomial_fit_p(kept, n, 0.2) > false_alarm);
  }
}

TEST_CASE("thinning twice is thinning once", "[sampling]") {
  // 3 checks, each fails once in 1e11 seeds, at worst 6 times.
  auto random = seeded(6);
  for (std::uint64_t n : {2ULL, 60ULL, 5000ULL}) {
    std::vector<std::uint64_t> kept(300'000);
    for (auto& count : kept) count = thin(random, thin(random, n, 1e-2, 3e-3), 3e-3, 1e-3);
    CHECK(binomial_fit_p(kept, n, 0.1) > false_alarm);
  }
}

TEST_CASE("marks of a block, thinned, are its marks at the lower rate", "[sampling]") {
  // A block of 30'000 words at 1e-3, for a consumer at 1e-4. Fails once in 1e11 seeds, at
  // worst 6 times.
  auto random = seeded(7);
  std::vector<std::uint64_t> marks(300'000);
  for (auto& count : marks) count = thin(random, binomial(random, 30'000, 1e-3), 1e-3, 1e-4);
  CHECK(binomial_fit_p(marks, 30'000, 1e-4) > false_alarm);
}

TEST_CASE("walking by gaps and drawing the count agree", "[sampling]") {
  // The engine does the first for small blocks and may do the second for large ones: the first mark
  // by its gap, the others as a count of the words after it. Fails once in 1e11 seeds, at
  // worst 6 times.
  auto random = seeded(8);
  constexpr std::int64_t words = 150'000;
  geometric_distribution const gaps(1e-4);
  std::vector<std::uint64_t> marks(300'000);
  for (auto& count : marks) {
    std::int64_t const first = gaps.draw(random);
    if (first <= words)
      count = 1 + binomial(random, static_cast<std::uint64_t>(words - first), gaps.per_word());
  }
  CHECK(binomial_fit_p(marks, words, gaps.per_word()) > false_alarm);
}
