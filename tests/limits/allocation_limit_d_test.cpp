// SPDX-License-Identifier: MIT
//
// The allocation limit. Sampled: interrupt at sample number max(1, ceil(limit / S)). Exact: at the
// allocation that makes the total exceed the limit.
#include <boost/math/distributions/binomial.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

constexpr std::int64_t interval = 10'000;  ///< S at the default rate, words

TEST_CASE("D-2: limit 0: idle is fine, the first sample interrupts", "[limits][allocations]") {
  with_seed fixture(2);
  auto const idle = limit_allocations(bytes{0}, [] { return 1; });
  REQUIRE(idle);
  CHECK(idle->allocated == bytes{0});
  // A million words without a sample: once in e^100.
  auto const busy = limit_allocations(bytes{0}, [] { churn(1_Mw); });
  REQUIRE_FALSE(busy);
  CHECK(busy.error().kind() == limit_kind::allocations);
  CHECK(busy.error().limit() == bytes{0});
  CHECK(busy.error().measured() >= bytes{words{interval}});
}

TEST_CASE("D-2: at rate 1, and counted exactly, limit 0 refuses the first allocation",
          "[limits][allocations]") {
  exactly fixture;
  for (auto count : {counting::sampled, counting::exact}) {
    words granted{};
    auto const r =
        run_limited({.allocations = bytes{0}, .count = count}, [&] { churn_until(1_kw, granted); });
    REQUIRE_FALSE(r);
    CHECK(granted == 0_w);
    CHECK(r.error().measured() == bytes{small_words});
  }
}

TEST_CASE("D-3: at rate 1 the interrupt comes at sample number limit", "[limits][allocations]") {
  exactly fixture;
  struct {
    bytes limit;
    std::int64_t refused;  // ordinal of the 8-word block
  } const cases[]{{1_B, 1}, {8_w, 1}, {9_w, 2}, {16_w, 2}, {800_w, 100}, {801_w, 101}};
  for (auto const& c : cases) {
    words granted{};
    auto const r = limit_allocations(c.limit, [&] { churn_until(10_kw, granted); });
    CAPTURE(c.limit.count());
    REQUIRE_FALSE(r);
    CHECK(granted == (c.refused - 1) * small_words);
    CHECK(r.error().limit() == c.limit);
    CHECK(r.error().measured() == bytes{c.refused * small_words});
  }
}

// Binomial tail: correct code fails once in 1e11 seeds.
TEST_CASE("D-3: chance of an interrupt within n words is P(Bin(n, p) >= k)",
          "[limits][allocations]") {
  with_seed fixture(3);
  struct {
    words limit, n;
    double k;
  } const cases[]{
      {100_kw, 100_kw, 10}, {100_kw, 60_kw, 10}, {95_kw, 100_kw, 10}, {60_kw, 80_kw, 6}};
  constexpr int runs = 400;
  for (auto const& c : cases) {
    std::uint64_t hits = 0;
    for (int i = 0; i < runs; ++i) {
      if (!limit_allocations(c.limit, [&] { churn(c.n); })) ++hits;
    }
    boost::math::binomial const samples(static_cast<double>(c.n.count()), 1e-4);
    double const chance = cdf(complement(samples, c.k - 1));
    CAPTURE(c.limit.count(), c.n.count(), hits, chance);
    CHECK(binomial_test_p(hits, runs, chance) > false_alarm);
  }
}

// A multiple of S upstream, and for tasks that succeed too low.
TEST_CASE("D-4 mended: what a task allocated is exact, however the limit counts",
          "[limits][allocations]") {
  with_seed fixture(4);
  for (words const n : {0_w, 2_w, 9'999_w, 100_kw, 1'234'568_w}) {
    auto const r = limit_allocations(max_allocation_limit, [n] { churn(n); });
    REQUIRE(r);
    CHECK(r->allocated == n);
  }
}

TEST_CASE("D-5: a block counts its whole words and a header", "[limits][allocations]") {
  exactly fixture;
  for (auto count : {counting::sampled, counting::exact}) {
    for (std::size_t size :
         std::initializer_list<std::size_t>{0, 1, 7, 8, 9, 15, 16, 17, 100, 4096, 100'001}) {
      auto const r = run_limited({.allocations = 1_Mw, .count = count},
                                 [&] { release(allocate(size), size); });
      CAPTURE(size);
      REQUIRE(r);
      CHECK(r->allocated == bytes{words{static_cast<std::int64_t>((size + 7) / 8 + 1)}});
    }
  }
}

TEST_CASE("D-6: inner limit smaller: inner error, the outer goes on and is charged all",
          "[limits][allocations]") {
  exactly fixture;
  for (auto count : {counting::sampled, counting::exact}) {
    bool inner_error = false;
    words granted{};
    auto const outer = run_limited({.allocations = 100_kw, .count = count}, [&] {
      inner_error = !run_limited({.allocations = 5_kw, .count = count}, [&] {
                       churn_until(50_kw, granted);
                     }).has_value();
      churn(10_kw);
      return 1;
    });
    CHECK(inner_error);
    REQUIRE(outer);
    // The refused request is charged as well: the sample was taken.
    CHECK(outer->allocated >= bytes{granted + 10_kw});
    CHECK(outer->allocated <= bytes{granted + small_words + 10_kw});
  }
}

TEST_CASE("D-7: inner limit larger than what the outer has left: both are errors",
          "[limits][allocations]") {
  exactly fixture;
  for (auto count : {counting::sampled, counting::exact}) {
    for (bool then_allocate : {false, true}) {
      words granted{};
      words after{};
      std::optional<limit_kind> inner_kind;
      std::optional<limit_kind> innermost_kind;
      bool outer_interrupted = false;
      auto const outer = run_limited({.allocations = 10_kw, .count = count}, [&] {
        auto const inner = run_limited({.allocations = 50_kw, .count = count}, [&] {
          auto const innermost =
              limit_allocations(max_allocation_limit, [&] { churn_until(60_kw, granted); });
          if (!innermost) innermost_kind = innermost.error().kind();
        });
        if (!inner) inner_kind = inner.error().kind();
        outer_interrupted = is_interrupted();
        if (then_allocate) churn_until(60_kw, after);
        return 1;
      });
      CAPTURE(then_allocate);
      CHECK(granted <= 10_kw);
      CHECK(granted >= 10_kw - small_words);
      CHECK(inner_kind == limit_kind::allocations);
      CHECK(innermost_kind == limit_kind::allocations);
      CHECK(outer_interrupted);
      REQUIRE_FALSE(outer);
      CHECK(outer.error().kind() == limit_kind::allocations);
      CHECK(outer.error().limit() == bytes{10_kw});
      CHECK(after == 0_w);  // no grace: the inner scope returned
    }
  }
}

TEST_CASE("D-8, D-9: an inner maximal limit does not change what the outer counts",
          "[limits][allocations]") {
  exactly fixture;
  for (auto count : {counting::sampled, counting::exact}) {
    bytes inner_count{};
    auto const outer = run_limited({.allocations = 100_kw, .count = count}, [&] {
      inner_count =
          run_limited({.allocations = max_allocation_limit, .count = count}, [] { churn(5'270_w); })
              .value()
              .allocated;
    });
    REQUIRE(outer);
    CHECK(inner_count == bytes{5'270_w});
    CHECK(outer->allocated == bytes{5'270_w});
  }
}

TEST_CASE("D-10: what a child thread allocates is not charged to the parent",
          "[limits][allocations]") {
  with_seed fixture(10);
  auto const r = limit_allocations(1_Mw, [] { in_thread([] { churn(50_Mw, 4088); }); });
  REQUIRE(r);
  CHECK(r->allocated < bytes{1_Mw});
}

TEST_CASE("D-11: at rate 1 the count is exact", "[limits][allocations]") {
  exactly fixture;
  auto const r = limit_allocations(1_Mw, [] { churn(300_kw, 16); });  // 3-word cells
  REQUIRE(r);
  CHECK(r->allocated == bytes{300_kw});
}

// Upstream grants it, and loses its samples.
TEST_CASE("D-12 mended: one block larger than the limit is refused", "[limits][allocations]") {
  with_seed fixture(12);
  for (auto count : {counting::sampled, counting::exact}) {
    bool granted = false;
    auto const r = run_limited({.allocations = 100_kw, .count = count}, [&] {
      // 10 Mw: fewer than 10 samples once in e^900.
      release(allocate(80'000'000), 80'000'000);
      granted = true;
    });
    REQUIRE_FALSE(r);
    CHECK_FALSE(granted);
    CHECK(r.error().measured() > r.error().limit());
  }
}

// Upstream does not charge the sample that raised; here every enclosing scope is charged.
TEST_CASE("D-13 changed: the refused request is in the amount measured", "[limits][allocations]") {
  exactly fixture;
  auto const r = run_limited({.allocations = 1_kw, .count = counting::exact}, [] {
    churn(900_w);
    release(allocate(7'992), 7'992);  // 1000 words
  });
  REQUIRE_FALSE(r);
  CHECK(r.error().measured() == bytes{1'900_w});
}

}  // namespace
}  // namespace memprof::test
