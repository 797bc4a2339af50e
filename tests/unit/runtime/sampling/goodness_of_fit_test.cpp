// SPDX-License-Identifier: MIT
#include "sampling/goodness_of_fit.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::sampling;

namespace {

tally tally_of(double words, double per_word, std::uint64_t samples) {
  tally t{.samples = samples};
  t.add_words(words, per_word);
  return t;
}

/// P(Bin(n, p) beyond k) on k's side of the mean, k itself counted half.
double tail_beyond(double n, double p, double k) {
  const boost::math::binomial law(n, p);
  const double half = boost::math::pdf(law, k) / 2;
  if (k < n * p) return boost::math::cdf(law, k) - half;
  return boost::math::cdf(boost::math::complement(law, k)) + half;
}

}  // namespace

TEST_CASE("the chi-square tail is right to 1e-12 down to 1e-300") {
  double least = 1;
  for (int freedom = 1; freedom <= 9; ++freedom) {
    for (double x = 1e-3; x < 1395; x *= 1.05) {
      const boost::math::chi_squared law(freedom);
      const double expected = boost::math::cdf(boost::math::complement(law, x));
      CAPTURE(freedom, x, expected);
      REQUIRE(detail::chi_square_tail(freedom, x) == Approx(expected).epsilon(1e-12));
      least = std::min(least, expected);
    }
    CHECK(detail::chi_square_tail(freedom, 0) == 1);
    CHECK(detail::chi_square_tail(freedom, 2000) == 0);
  }
  CHECK(least < 1e-290);
}

// The figures that goodness_of_fit.hpp promises: 12 % at 6 standard deviations with a variance of
// 200, and 2 % with 10 000.
TEST_CASE("the signed root of a tally is normal, far out too") {
  struct accuracy {
    double variance;
    double largest_error;
  };
  for (const auto [variance, largest_error] : {accuracy{200, 0.12}, accuracy{10'000, 0.02}}) {
    for (const double p : {1e-6, 1e-2, 0.3, 0.7, 0.97}) {
      const double n = std::round(variance / (p * (1 - p)));
      for (const double z : {-6., -3., -1., 1., 3., 6.}) {
        const double k = std::round(n * p + z * std::sqrt(variance));
        if (k < 0 || k > n) continue;
        const double root = detail::signed_root(tally_of(n, p, static_cast<std::uint64_t>(k)));
        const double tail = std::erfc(std::abs(root) / std::sqrt(2.)) / 2;
        CAPTURE(variance, p, z, root);
        CHECK((root > 0) == (z > 0));
        CHECK(tail == Approx(tail_beyond(n, p, k)).epsilon(largest_error));
      }
    }
  }
}

TEST_CASE("a p-value is the smaller of two, and right in the far tail") {
  // One cell: the count alone. 1e10 words at 1e-4 and 34 standard deviations more: 1e-250.
  const tally one[] = {tally_of(1e10, 1e-4, 1'034'000)};
  const test_result v = goodness_of_fit(one);
  CHECK(v.z == Approx(34).epsilon(1e-3));
  CHECK(v.shape_p == 1);
  CHECK(v.p == v.count_p);
  const double root = detail::signed_root(one[0]);
  CHECK(v.p == Approx(boost::math::erfc(root / std::sqrt(2.))).epsilon(1e-12));
  CHECK(v.p < 1e-245);
  CHECK(v.p > 1e-255);

  // Two cells that are off in opposite directions: the count is perfect, the shape is not.
  const tally two[] = {tally_of(1e10, 1e-4, 1'030'000), tally_of(1e10, 1e-4, 970'000)};
  const test_result w = goodness_of_fit(two);
  CHECK(w.samples == 2'000'000);
  CHECK(w.z == Approx(0).margin(1e-6));
  CHECK(w.count_p == Approx(1).epsilon(1e-6));
  const double expected = std::pow((detail::signed_root(two[0]) - detail::signed_root(two[1])), 2);
  CHECK(w.shape_p == Approx(detail::chi_square_tail(1, expected / 2)).epsilon(1e-9));
  CHECK(w.p == Approx(2 * w.shape_p).epsilon(1e-9));
  CHECK(w.p < 1e-300);
}

TEST_CASE("the shape of m cells has m - 1 degrees of freedom") {
  for (int m = 2; m <= 9; ++m) {
    std::vector<tally> cells;
    std::vector<double> roots;
    double mean = 0;
    for (int i = 0; i < m; ++i) {
      // A few standard deviations of 100 more or less.
      cells.push_back(tally_of(1e8, 1e-4, static_cast<std::uint64_t>(10'000 + 37 * ((i * 5) % 7))));
      roots.push_back(detail::signed_root(cells.back()));
      mean += roots.back() / m;
    }
    double across = 0;
    for (const double root : roots) across += (root - mean) * (root - mean);
    const boost::math::chi_squared law(m - 1);
    const double expected = boost::math::cdf(boost::math::complement(law, across));
    CAPTURE(m, across, expected);
    CHECK(goodness_of_fit(cells).shape_p == Approx(expected).epsilon(1e-9));
    CHECK(expected < 0.9);
    CHECK(expected > 1e-9);
  }
}

TEST_CASE("small cells are pooled with their neighbours, and nothing of them is lost") {
  std::vector<tally> cells(9, tally_of(1e5, 1e-4, 10));  // variance 10 each
  cells.push_back(tally_of(1e7, 1e-4, 1000));
  CHECK(goodness_of_fit(cells).samples == 1090);
  CHECK(goodness_of_fit(cells).p == Approx(1).epsilon(1e-6));
  // Three of 30 and one of 1000. In the first of them, 31 samples too many:
  cells[1].samples += 31;
  const std::vector<tally> pooled = {tally_of(3e5, 1e-4, 61), tally_of(3e5, 1e-4, 30),
                                     tally_of(3e5, 1e-4, 30), tally_of(1e7, 1e-4, 1000)};
  CHECK(goodness_of_fit(cells).shape_p == Approx(goodness_of_fit(pooled).shape_p).epsilon(1e-9));
  CHECK(goodness_of_fit(cells).shape_p < 1e-4);
}

TEST_CASE("no verdict before there are 200 samples, and never a number that is none") {
  CHECK(goodness_of_fit({}).p == 1);
  const tally few[] = {tally_of(1e5, 1e-4, 5000)};
  CHECK(goodness_of_fit(few).p == 1);
  CHECK(goodness_of_fit(few).z > 100);

  constexpr double most_words = 0x1p62;
  const double rates[] = {5e-324, 1e-300, 1e-18, 1e-4, 0.5, 1 - 0x1p-53, 1};
  const std::uint64_t counts[] = {0, 1, 1'000'000, std::numeric_limits<std::uint64_t>::max()};
  for (const double a : rates) {
    for (const double b : rates) {
      for (const double words : {0., 1., 1e6, 1e12, most_words}) {
        for (const std::uint64_t samples : counts) {
          const tally cells[] = {tally_of(words, a, samples), tally_of(words, b, samples / 2),
                                 tally_of(most_words, a, 0), tally{}};
          const test_result v = goodness_of_fit(cells);
          CAPTURE(a, b, words, samples);
          REQUIRE(std::isfinite(v.z));
          REQUIRE(std::isfinite(v.expected));
          for (const double p : {v.count_p, v.shape_p, v.p}) REQUIRE((p >= 0 && p <= 1));
        }
      }
    }
  }
}
