// SPDX-License-Identifier: MIT
//
// limit_memory: estimated live memory of the task. Upstream has no such limit. Numbers in the names
// are those of the global limit (C) or of allocation limits (D) whose rule it shares.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("memory: what is freed does not count", "[limits][memory]") {
  exactly fixture;
  auto const r = limit_memory(10_kw, [] {
    churn(200_kw);
    for (int i = 0; i < 20; ++i) {
      holder heap;
      heap.fill(8_kw);
    }
    return 1;
  });
  CHECK(r);
}

TEST_CASE("memory: what is kept does, young or old, small or big", "[limits][memory]") {
  exactly fixture;
  for (std::size_t size : std::initializer_list<std::size_t>{16, 56, 504, 4088}) {
    words const each = block_words(bytes{static_cast<std::int64_t>(size)});
    words held{};
    auto const r = limit_memory(300_kw, [&] {
      holder heap;
      for (;;) {
        heap.add(size);
        held = heap.held();
      }
    });
    CAPTURE(size);
    REQUIRE_FALSE(r);
    CHECK(r.error().kind() == limit_kind::memory);
    CHECK(r.error().limit() == bytes{300_kw});
    CHECK(held <= 300_kw);
    CHECK(held >= 300_kw - 2 * each);
    CHECK(r.error().measured() >= r.error().limit());
    CHECK(r.error().measured() <= bytes{300_kw + each});
    CHECK(r.error().deliveries() == 1);
  }
}

// k = 839 samples. Of 32 MiB live that many once in 1e+70, of 128 MiB fewer once in 1e+100.
TEST_CASE("memory: at the default rate the estimate is good to some per cent", "[limits][memory]") {
  with_seed fixture(2);
  auto const keep = [](words total) {
    return limit_memory(64_MiB, [&] {
      holder heap;
      for (int i = 0; i < 3; ++i) {
        heap.clear();
        heap.fill(total, 1000);
      }
    });
  };
  CHECK(keep(floor_to_words(32_MiB)));
  auto const r = keep(floor_to_words(128_MiB));
  REQUIRE_FALSE(r);
  CHECK(r.error().limit() == 64_MiB);
  CHECK(r.error().measured() > 64_MiB);
  CHECK(r.error().measured() < 66_MiB);
}

TEST_CASE("memory, D-12: one block larger than the limit is refused", "[limits][memory]") {
  with_seed fixture(3);
  bool granted = false;
  auto const r = limit_memory(1_MiB, [&] {
    release(allocate(800'000'000), 800'000'000);  // 100 Mw: too few samples once in e^9900
    granted = true;
  });
  REQUIRE_FALSE(r);
  CHECK_FALSE(granted);
}

TEST_CASE("memory, C5: once hit a task stays interrupted, a new one starts clean",
          "[limits][memory]") {
  exactly fixture;
  int deliveries = 0;
  bool still = false;
  auto const r = limit_memory(10_kw, [&] {
    for (int i = 0; i < 2; ++i) {
      try {
        holder heap;
        heap.fill(20_kw);
      } catch (limit_exceeded const&) {
        ++deliveries;
      }
      churn(500_w);  // everything was freed
      still = is_interrupted();
    }
  });
  REQUIRE_FALSE(r);
  CHECK(still);
  CHECK(deliveries == 2);
  CHECK(limit_memory(10_kw, [] {
    holder heap;
    heap.fill(9_kw);
  }));
}

TEST_CASE("memory, D-6, D-9: an inner scope's blocks are charged to the outer as well",
          "[limits][memory]") {
  exactly fixture;
  bool inner_ok = false;
  holder kept;
  auto const over = limit_memory(10_kw, [&] {
    inner_ok = limit_memory(max_allocation_limit, [&] { kept.fill(6_kw); }).has_value();
    holder more;
    more.fill(6_kw);
  });
  CHECK(inner_ok);
  CHECK_FALSE(over);

  // Freed inside or after the inner scope: off both.
  auto const under = limit_memory(10_kw, [&] {
    for (int i = 0; i < 5; ++i) {
      holder mine;
      static_cast<void>(limit_memory(8_kw, [&] { mine.fill(7_kw); }));
    }
  });
  CHECK(under);

  // The inner limit is hit, not the outer.
  std::optional<bool> inner_error;
  auto const outer = limit_memory(20_kw, [&] {
    inner_error = !limit_memory(5_kw, [] {
                     holder mine;
                     mine.fill(30_kw);
                   }).has_value();
    holder mine;
    mine.fill(18_kw);
  });
  CHECK(inner_error == true);
  CHECK(outer);
}

TEST_CASE("memory, D-7: an inner limit larger than what the outer has left: both are errors",
          "[limits][memory]") {
  exactly fixture;
  std::optional<limit_kind> inner_kind;
  words held{};
  words after{};
  auto const outer = limit_memory(10_kw, [&] {
    holder first;
    first.fill(4_kw);
    auto const inner = limit_memory(max_allocation_limit, [&] {
      holder mine;
      for (;;) {
        mine.add(small_block);
        held = mine.held();
      }
    });
    if (!inner) inner_kind = inner.error().kind();
    churn_until(20_kw, after);
  });
  REQUIRE_FALSE(outer);
  CHECK(outer.error().limit() == bytes{10_kw});
  CHECK(inner_kind == limit_kind::memory);
  CHECK(held <= 6_kw);
  CHECK(held >= 6_kw - 2 * small_words);
  CHECK(after == 0_w);  // no grace: the inner scope returned
}

TEST_CASE("memory and allocations are separate amounts", "[limits][memory]") {
  exactly fixture;
  limits const l{.allocations = 50_kw, .memory = 10_kw};
  auto const kept = run_limited(l, [] {
    holder mine;
    mine.fill(20_kw);
  });
  auto const churned = run_limited(l, [] { churn(60_kw); });
  auto const neither = run_limited(l, [] { churn(45_kw); });
  REQUIRE_FALSE(kept);
  CHECK(kept.error().kind() == limit_kind::memory);
  CHECK(kept.error().limit() == bytes{10_kw});
  REQUIRE_FALSE(churned);
  CHECK(churned.error().kind() == limit_kind::allocations);
  CHECK(churned.error().limit() == bytes{50_kw});
  REQUIRE(neither);
  CHECK(neither->allocated == bytes{45_kw});
}

TEST_CASE("live_memory is exact at rate 1, and its interval holds the truth", "[limits][memory]") {
  exactly fixture;
  auto const before = live_memory();
  holder heap;
  heap.fill(10_kw);
  auto const during = live_memory();
  auto const wide = live_memory(0.999999);
  heap.clear();
  auto const after = live_memory();
  CHECK(during.value - before.value == bytes{10_kw});
  CHECK(after.value == before.value);
  CHECK(during.lower <= during.value);
  CHECK(during.value <= during.upper);
  CHECK(during.confidence == 0.95);
  CHECK(during.samples == before.samples + 1'250);
  CHECK(wide.confidence == 0.999999);
  CHECK(wide.value == during.value);
  CHECK(wide.lower <= during.lower);
  CHECK(wide.upper >= during.upper);
}

}  // namespace
}  // namespace memprof::test
