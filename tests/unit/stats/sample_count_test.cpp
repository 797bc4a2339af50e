// SPDX-License-Identifier: MIT
// The count k of (3): what the bounds take it for, and what the engine does.
#include "memprof/detail/sample_count.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "memprof/bounds.hpp"
#include "memprof/limits.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::literals;
namespace s = memprof::detail::statistics;

static_assert(samples_to_interrupt(10_kw) == 1);
static_assert(samples_to_interrupt(words{10'001}) == 2);
static_assert(samples_to_interrupt(80'001_B) == 2);
static_assert(samples_to_interrupt(0_w) == 1);
static_assert(samples_to_interrupt(10_w, sampling_rate{0.3}) == 3);
static_assert(samples_to_interrupt(words{(1ll << 60) - 1}, sampling_rate{1}) == (1ll << 60) - 1);
static_assert(samples_to_interrupt(words{(1ll << 60) - 1}, sampling_rate{0.5}) == 1ll << 59);
static_assert(samples_to_interrupt(max_allocation_limit, sampling_rate{1}) == (1ll << 60) - 1);
static_assert(samples_to_interrupt(max_allocation_limit, sampling_rate{1e-300}) == 1);
static_assert(samples_to_interrupt(1_Mw, sampling_rate{0}) == 1);

// Rates a/b: l p is exact in integers.
TEST_CASE("sample count: k is ceil(l p) exactly, for rates of few digits") {
  std::int64_t wrong = 0;
  for (const std::int64_t b : {10, 100, 1'000, 10'000, 1'000'000'000}) {
    for (const std::int64_t a : {1, 2, 3, 7, 9, 37, 137, 999}) {
      if (a >= b) continue;
      const double p = static_cast<double>(a) / static_cast<double>(b);
      for (std::int64_t i = 0; i < 20'000; ++i) {
        // Dense, then about whole numbers of samples: l = k b / a, rounded both ways.
        const std::int64_t l = i < 10'000 ? i : (i - 9'999) * b / a + i % 3 - 1;
        const std::int64_t k = std::max<std::int64_t>(1, (l * a + b - 1) / b);
        wrong += s::samples_needed(l, 1, p) != k;
        wrong += s::samples_needed(8 * l, 8, p) != k;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("sample count: least_limit is its inverse") {
  for (const double p : {1.0, 0.7, 0.3, 1e-2, 1.37e-4, 1e-4, 1e-9, 3e-17}) {
    for (const std::int64_t k : {1ll, 2ll, 3ll, 17ll, 1'000ll, 123'456'789ll, 1ll << 50}) {
      for (const int units : {1, 8}) {
        const std::int64_t l = s::least_limit(k, units, p);
        CAPTURE(p, k, units, l);
        if (l < 0) {
          CHECK(s::samples_needed(std::numeric_limits<std::int64_t>::max(), units, p) < k);
          continue;
        }
        CHECK(s::samples_needed(l, units, p) >= k);
        if (l > 0) CHECK(s::samples_needed(l - 1, units, p) < k);
      }
    }
  }
}

// As src/runtime/limits charges: n S added up in double.
TEST_CASE("sample count: sums of S pass the threshold at sample k, dense in limits and rates") {
  std::int64_t wrong = 0;
  for (const double p : {1.0, 0.9, 0.7, 1.0 / 3, 0.3, 1e-2, 1.37e-2, 3e-4, 1.37e-4, 1e-4, 1e-5}) {
    const double interval = s::mean_interval(p);
    for (std::int64_t i = 0; i < 4'000; ++i) {
      // Limits in bytes, about each multiple of S.
      const auto limit =
          static_cast<std::int64_t>(static_cast<double>(i / 8) * interval * 8) + i % 8;
      const std::int64_t k = samples_to_interrupt(bytes{limit}, sampling_rate{p});
      const double threshold = s::charge_threshold(limit, p);
      double charged = 0;
      for (std::int64_t n = 1; n < k; ++n) charged += interval;
      wrong += charged >= threshold;
      wrong += charged + interval < threshold;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("sample count: the engine interrupts at sample k") {
  const double p = GENERATE(1e-3, 3e-3, 1.37e-3, 1.0 / 7);
  const std::int64_t k = GENERATE(1, 2, 5, 40);
  const std::int64_t beyond = GENERATE(0, 1);
  const sampling_rate before = limit_sampling_rate();
  set_limit_sampling_rate(sampling_rate{p});
  set_seed(4);
  const auto at = static_cast<std::int64_t>(static_cast<double>(k) * s::mean_interval(p) + 1e-9);
  const words limit{at + beyond};
  const std::int64_t wanted = samples_to_interrupt(limit, sampling_rate{p});
  CHECK(wanted == k + beyond);
  const auto r = limit_allocations(limit, [] {
    while (true) test::release(test::allocate(1), 1);
  });
  set_limit_sampling_rate(before);
  REQUIRE_FALSE(r.has_value());
  // The last block, of 2 words, may hold two samples.
  const double samples =
      static_cast<double>(r.error().measured().count()) / 8 / s::mean_interval(p);
  CAPTURE(p, k, limit.count(), samples);
  CHECK(samples > static_cast<double>(wanted) - 0.01);
  CHECK(samples < static_cast<double>(wanted) + 1.01);
}
