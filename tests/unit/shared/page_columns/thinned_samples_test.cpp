// SPDX-License-Identifier: MIT
#include "page_columns/thinned_samples.hpp"

#include <array>
#include <cmath>

#include "support/catch2.hpp"

using memprof::page_columns::thinned_samples;

TEST_CASE("thinned samples have the mean and the variance of the binomial law") {
  constexpr int ids = 20'000;
  for (const std::uint64_t n : {1U, 3U, 63U, 64U, 65U, 1000U, 4096U, 5000U, 100'000U}) {
    for (const unsigned halvings : {1U, 2U, 5U, 9U}) {
      INFO(n << " samples, halved " << halvings << " times");
      const double p = std::ldexp(1.0, -static_cast<int>(halvings));
      const double mean = static_cast<double>(n) * p, variance = mean * (1 - p);
      double sum = 0, squares = 0;
      for (std::uint64_t id = 0; id < ids; ++id) {
        const double d = static_cast<double>(thinned_samples(n, id, halvings)) - mean;
        sum += d;
        squares += d * d;
      }
      // Five standard deviations; that of the square has the law's kurtosis.
      const double kurtosis = variance * (3 * variance + 1 - 6 * p * (1 - p)) - variance * variance;
      CHECK(std::abs(sum) < 5 * std::sqrt(variance * ids));
      CHECK(std::abs(squares - variance * ids) <= 5 * std::sqrt(kurtosis * ids) + 1e-6);
    }
  }
}

TEST_CASE("how many of five samples are left: chi-square") {
  constexpr int ids = 100'000;
  std::array<double, 6> seen{};
  for (std::uint64_t id = 0; id < ids; ++id) ++seen[thinned_samples(5, id * 7, 1)];
  const std::array<double, 6> law{1, 5, 10, 10, 5, 1};
  double chi = 0;
  for (std::size_t k = 0; k < law.size(); ++k) {
    const double expected = law[k] / 32 * ids;
    chi += (seen[k] - expected) * (seen[k] - expected) / expected;
  }
  CHECK(chi < 30);  // of five degrees of freedom: a chance of 1.5e-5
}

TEST_CASE("what is gone stays gone, and the same block always loses the same") {
  for (const std::uint64_t n : {1U, 8U, 64U, 200U, 4096U, 70'000U}) {
    for (std::uint64_t id = 0; id < 500; ++id) {
      std::uint64_t last = n;
      CHECK(thinned_samples(n, id, 0) == n);
      for (unsigned h = 1; h < 20; ++h) {
        const std::uint64_t now = thinned_samples(n, id, h);
        REQUIRE(now <= last);
        REQUIRE(now == thinned_samples(n, id, h));
        last = now;
      }
    }
  }
  // No block is so large that it would take long.
  CHECK(thinned_samples(~std::uint64_t{0}, 1, 3) > std::uint64_t{1} << 28);
}
