// SPDX-License-Identifier: MIT
// Tails of the binomial law: against the tables, and against Boost.Math where it can.
#include "memprof/detail/binomial_tail.hpp"

#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <cstdint>
#include <random>

#include "support/catch2.hpp"
#include "unit/stats/reference_table.hpp"

using memprof::test::number;
using memprof::test::reference_table;
using memprof::test::relative_error;
namespace s = memprof::detail::statistics;

namespace {

double worst_of(std::string const& table) {
  double worst = 0;
  for (auto const& row : reference_table(table)) {
    const auto t = s::tails(std::stoll(row[1]), std::stoll(row[2]), number(row[0]));
    CAPTURE(row[0], row[1], row[2]);
    const double upper = relative_error(t.upper(), number(row[3]));
    const double lower = relative_error(t.lower(), number(row[4]));
    CHECK(upper < 1e-12);
    CHECK(lower < 1e-12);
    worst = std::max({worst, upper, lower});
  }
  return worst;
}

}  // namespace

TEST_CASE("binomial tails: every row of interrupt-probability.csv to 1e-12") {
  REQUIRE(reference_table("interrupt-probability.csv").size() == 176);
  CHECK(worst_of("interrupt-probability.csv") < 1.2e-13);
}

// Rates 1e-9 to 1 - 1e-12, up to 1e17 samples, 1e-50 and 1e-300 on both sides.
TEST_CASE("binomial tails: every row of far-tails.csv to 1e-14") {
  REQUIRE(reference_table("far-tails.csv").size() > 700);
  CHECK(worst_of("far-tails.csv") < 1e-14);
}

TEST_CASE("binomial tails: as Boost.Math has them, down to 1e-300") {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> log_p(-9, 0), log_k(0, 4), sigmas(-30, 30);
  int compared = 0;
  for (int i = 0; i < 3'000; ++i) {
    const double p = std::pow(10.0, log_p(random));
    const auto k = static_cast<std::int64_t>(std::pow(10.0, log_k(random)));
    const double mean = static_cast<double>(k) / p;
    const double words = mean + sigmas(random) * std::sqrt(static_cast<double>(k)) / p;
    if (words < static_cast<double>(k)) continue;
    const auto n = static_cast<std::int64_t>(words);
    const auto t = s::tails(k, n, p);
    const auto a = static_cast<long double>(k);
    const auto b = static_cast<long double>(n - k + 1);
    // In long double Boost 1.81 is off by up to 1e-10 at low rates, as 60 digits tell.
    const auto upper = static_cast<double>(boost::math::ibeta(a, b, static_cast<long double>(p)));
    const auto lower = static_cast<double>(boost::math::ibetac(a, b, static_cast<long double>(p)));
    CAPTURE(p, k, n);
    CHECK(relative_error(t.upper(), upper) < 1e-9);
    CHECK(relative_error(t.lower(), lower) < 1e-9);
    ++compared;
  }
  CHECK(compared > 1'500);
}

TEST_CASE("binomial tails: small cases are rational numbers") {
  // Bin(3, 1/2): 1/8 3/8 3/8 1/8
  CHECK(s::tails(1, 3, 0.5).upper() == Approx(7. / 8).epsilon(1e-15));
  CHECK(s::tails(2, 3, 0.5).upper() == Approx(0.5).epsilon(1e-15));
  CHECK(s::tails(3, 3, 0.5).upper() == Approx(1. / 8).epsilon(1e-15));
  CHECK(s::tails(4, 3, 0.5).upper() == 0);
  CHECK(s::tails(4, 3, 0.5).lower() == 1);
  CHECK(s::tails(1, 0, 0.5).upper() == 0);
  CHECK(s::tails(3, 3, 1.0).upper() == 1);
  CHECK(s::tails(3, 3, 1.0).lower() == 0);
  CHECK(s::tails(3, 2, 1.0).upper() == 0);
  CHECK(s::tails(1, 1'000'000, 0.0).upper() == 0);
  // The least rates there are.
  CHECK(s::tails(1, 1'000'000, 1e-300).upper() == Approx(1e-294).epsilon(1e-14));
  CHECK(s::tails(1, 1'000'000, 5e-324).lower() == 1);
}

TEST_CASE("binomial tails: every tail is a number in [0, 1], and the two add up") {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> log_p(-310, 0), log_n(0, 62.99);
  for (int i = 0; i < 20'000; ++i) {
    const double p = i % 3 == 0 ? std::exp2(-std::exp2(log_n(random) / 7))
                                : std::pow(10.0, log_p(random) / (i % 2 == 0 ? 1 : 30));
    const auto n = static_cast<std::int64_t>(std::exp2(log_n(random)));
    const auto k = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    const auto t = s::tails(k, n, p);
    CAPTURE(p, n, k);
    REQUIRE((t.upper() >= 0 && t.upper() <= 1));
    REQUIRE((t.lower() >= 0 && t.lower() <= 1));
    REQUIRE(std::abs(t.upper() + t.lower() - 1) < 1e-12);
  }
}
