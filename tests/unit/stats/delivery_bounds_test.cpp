// SPDX-License-Identifier: MIT
// Delays of delivery: the formulas here, that the engine keeps to them in tests/limits.
#include "memprof/delivery_bounds.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "memprof/limits.hpp"
#include "memprof/masking.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::literals;

static_assert(late_notice(1) == 0_w && late_notice(4) == 3'000_w && late_polls(4) == 4'000_w);
static_assert(retry_distance(1) == 16_w && retry_distance(9) == 4'096_w);
static_assert(retry_distance(10) == 8'192_w && retry_distance(1'000) == 8'192_w);
static_assert(retry_distance(9, 1'000) == 4'096_w && retry_distance(10, 1'000) == 64'000_w);
static_assert(deferral_span(0) == 0_w && deferral_span(3) == 112_w);
static_assert(deferral_span(9) == 8'176_w && deferral_span(12) == words{8'176 + 3 * 8'192});
static_assert(swallowing_span(7) == 11_kw && swallowing_span(1) == 10_kw &&
              swallowing_span(7, 0_w) == 0_w);

namespace {

/// Where a task that swallows its interrupts was interrupted, in words it had been granted.
std::vector<std::int64_t> places_of_interrupts(words grace, std::size_t wanted) {
  std::vector<std::int64_t> places;
  places.reserve(wanted);
  std::int64_t granted = 0;
  memprof::limits l{.allocations = 1_kw, .count = counting::exact, .grace = grace};
  (void)run_limited(l, [&] {
    while (places.size() < wanted) {
      try {
        test::release(test::allocate(test::small_block), test::small_block);
        granted += test::small_words.count();
      } catch (std::bad_alloc const&) {
        places.push_back(granted);
      }
    }
  });
  return places;
}

}  // namespace

TEST_CASE("delivery bounds: a task that swallows has a grace, a tenth of it, and no more") {
  const words grace = GENERATE(100_w, 10'000_w);
  const auto places = places_of_interrupts(grace, 6);
  for (std::size_t i = 1; i < places.size(); ++i) {
    // One block's less at each, since whole blocks fill a grace.
    const std::int64_t span = places[i] - places[0];
    const auto latest = swallowing_span(static_cast<std::int64_t>(i), grace).count();
    CHECK(span <= latest);
    CHECK(span >= latest - static_cast<std::int64_t>(2 * i) * test::small_words.count());
  }
}

TEST_CASE("delivery bounds: refusals come no denser than their distances") {
  std::uint64_t deferrals = 0;
  std::int64_t granted = 0;
  memprof::limits l{.allocations = 1_kw, .count = counting::exact};
  const auto r = run_limited(l, [&] {
    const masked_scope masked;
    while (granted < 100'000) {
      test::release(test::allocate(test::small_block), test::small_block);
      granted += test::small_words.count();
    }
  });
  REQUIRE_FALSE(r.has_value());
  deferrals = r.error().deferrals();
  // As many as fit between the hit and the end; at the end the mask lifts, and it is delivered.
  CAPTURE(deferrals);
  CHECK(deferrals >= 5);
  CHECK(deferral_span(static_cast<std::int64_t>(deferrals) - 1).count() <= granted - 1'000);
}

// Whatever it allocated since it looked last.
TEST_CASE("delivery bounds: a thread notices that the budget is used up within late_notice(2)") {
  const sampling_rate before = limit_sampling_rate();
  set_limit_sampling_rate(sampling_rate{1e-4});
  const std::int64_t lead = GENERATE(8, 504, 992);  // words since its last look
  budget shared(memprof::limits{.allocations = 1'000_kw});
  std::atomic<int> stage{0};
  const auto wait_for = [&](int wanted) {
    while (stage.load() < wanted) std::this_thread::yield();
  };
  std::int64_t granted = 0;
  std::thread late([&] {
    const auto r = shared.run([&] {
      for (std::int64_t n = 0; n < lead; n += test::small_words.count()) {
        test::release(test::allocate(test::small_block), test::small_block);
      }
      stage = 1;
      wait_for(2);
      while (granted < 100'000) {
        test::release(test::allocate(test::small_block), test::small_block);
        granted += test::small_words.count();
      }
    });
    (void)r;
  });
  wait_for(1);
  const auto first = shared.run([] {
    while (true) test::release(test::allocate(test::small_block), test::small_block);
  });
  stage = 2;
  late.join();
  set_limit_sampling_rate(before);
  CHECK_FALSE(first.has_value());
  CHECK(words{granted} <= late_notice(2));
}

TEST_CASE("delivery bounds: arguments out of range are errors") {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_AS(late_notice(0), std::domain_error);
  CHECK_THROWS_AS(late_notice(most), std::domain_error);
  CHECK_THROWS_AS(retry_distance(0), std::domain_error);
  CHECK_THROWS_AS(retry_distance(1, -1), std::domain_error);
  CHECK_THROWS_AS(deferral_span(-1), std::domain_error);
  CHECK_THROWS_AS(deferral_span(most, 1'000), std::domain_error);
  CHECK_THROWS_AS(swallowing_span(-1), std::domain_error);
  CHECK_THROWS_AS(swallowing_span(1, words{-1}), std::domain_error);
  CHECK_THROWS_AS(swallowing_span(2, words{most}), std::domain_error);
}
