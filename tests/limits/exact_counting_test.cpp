// SPDX-License-Identifier: MIT
//
// Exact counting: interrupted at the allocation that makes the total exceed the limit, the same one
// in every run. Rules that it shares with sampled counting are in allocation_limit_d_test.cpp.
#include <array>
#include <cstddef>
#include <cstdint>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("exact counting: reaching the limit is allowed, one word more is refused",
          "[limits][allocations]") {
  with_seed fixture(14);  // the default rate: exact counts do not depend on it
  for (words limit : {1_w, 8_w, 1_kw, 12'345_w, 2_Mw}) {
    auto const l = limits{.allocations = limit, .count = counting::exact};
    auto const reached = run_limited(l, [&] { churn(limit, 800); });
    bool refused = true;
    auto const exceeded = run_limited(l, [&] {
      churn(limit, 800);
      release(allocate(0), 0);
      refused = false;
    });
    CAPTURE(limit.count());
    REQUIRE(reached);
    CHECK(reached->allocated == bytes{limit});
    REQUIRE_FALSE(exceeded);
    CHECK(refused);
    CHECK(exceeded.error().measured() == bytes{limit + 1_w});
    CHECK(exceeded.error().deliveries() == 1);
  }
}

TEST_CASE("exact counting: the same allocation in every run, whatever the rate and the seed",
          "[limits][allocations]") {
  with_seed fixture(15);
  for (double rate : {0.0, 1e-6, 1e-4, 1e-2, 1.0}) {
    set_process_sampling_rate(sampling_rate{rate});
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      set_seed(seed);
      words granted{};
      // 20 bytes above 100 kw: not a whole number of words.
      auto const r = run_limited({.allocations = 100_kw + bytes{20}, .count = counting::exact},
                                 [&] { churn_until(200_kw, granted, 40); });  // 6 words
      REQUIRE_FALSE(r);
      CHECK(granted == 16'667 * 6_w);  // 100 002 words; 100 008 are refused
      CHECK(r.error().measured() == bytes{100'008_w});
    }
  }
}

TEST_CASE("exact counting: the largest limit is no limit", "[limits][allocations]") {
  with_seed fixture(16);
  auto const r = run_limited({.allocations = max_allocation_limit, .count = counting::exact},
                             [] { churn(1_Mw, 800); });
  REQUIRE(r);
  CHECK(r->allocated == bytes{1_Mw});
}

TEST_CASE("limits nest 64 deep, exactly the ones that were hit are errors",
          "[limits][allocations]") {
  exactly fixture;
  struct nest {
    std::array<bool, 64> error{};
    words granted{};
    // Level i may take (64 - i) kw, each level allocates 10 words before it goes deeper.
    int run(std::size_t level) {
      if (level == error.size()) {
        churn_until(100_kw, granted);
        return 0;
      }
      words const limit = static_cast<std::int64_t>(error.size() - level) * 1_kw;
      auto const r = run_limited({.allocations = limit, .count = counting::exact}, [&] {
        churn(10_w, 72);
        return run(level + 1);
      });
      error[level] = !r.has_value();
      return 1;
    }
  } levels;
  CHECK(levels.run(0) == 1);
  // Only the innermost is hit. It had 1000 words, 10 of them taken by its own task.
  for (std::size_t i = 0; i + 1 < levels.error.size(); ++i) CHECK_FALSE(levels.error[i]);
  CHECK(levels.error.back());
  CHECK(levels.granted == 123 * small_words);
}

}  // namespace
}  // namespace memprof::test
