// SPDX-License-Identifier: MIT
#include "analysis/histogram.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::analysis;

TEST_CASE("linear histograms: edges are exact, the last bin holds both of its edges") {
  const std::vector<std::int64_t> values{0, 1, 31, 32, 33, -1, 16};
  const auto bins = linear_histogram(values, 0, 32, 32);
  CHECK(bins[0] == 1);
  CHECK(bins[1] == 1);
  CHECK(bins[16] == 1);
  CHECK(bins[31] == 2);
  const std::vector<std::int64_t> same{7, 7};
  CHECK(linear_histogram(same, 7, 7, 100)[0] == 2);
  // 3 * 1e18 / 7 lies on no double.
  const std::vector<std::int64_t> large{3'000'000'000'000'000'000 / 7 + 1,
                                        3'000'000'000'000'000'000 / 7};
  CHECK(linear_histogram(large, 0, 1'000'000'000'000'000'000, 7) ==
        std::vector<std::uint64_t>{0, 0, 1, 1, 0, 0, 0});
}

TEST_CASE("logarithmic histograms: every value lies between the edges of its bin") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t v = random() >> (random() % 64);
    const std::size_t bin = log_histogram::bin_of(v);
    REQUIRE(bin < log_histogram::bin_count);
    REQUIRE(log_histogram::lower_edge(bin) <= v);
    const std::uint64_t upper = log_histogram::lower_edge(bin + 1);
    REQUIRE((v < upper || upper == ~std::uint64_t{0}));
    REQUIRE(static_cast<double>(upper - log_histogram::lower_edge(bin)) <=
            std::max(1.0, static_cast<double>(v) / 8 * 1.0001));
  }
  log_histogram h;
  for (std::uint64_t v = 1; v <= 1000; ++v) h.add(v, 2);
  CHECK(h.weight() == 2000);
  CHECK(h.quantile(0.5) == Approx(500).epsilon(0.02));
  CHECK(h.bins().front().lower == 1);
  CHECK(h.bins().back().upper > 1000);
}
