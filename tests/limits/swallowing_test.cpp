// SPDX-License-Identifier: MIT
//
// Tasks that keep the interrupt to themselves, and places where it cannot be raised.
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "memprof/memprof.hpp"

#include "limits/at_exit.hpp"
#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

/// What it may have after so many interrupts: all of the grace, a tenth of it, nothing.
words grace_after(std::size_t interrupts, words grace) {
  if (interrupts == 1) return grace;
  return interrupts == 2 ? words{grace.count() / 10} : 0_w;
}

/// A task that goes on after each of `n` interrupts. Words granted between them go to `gaps`.
struct stubborn {
  std::size_t n;
  std::vector<words> gaps;

  void operator()() {
    while (gaps.size() < n) {
      words granted{};
      try {
        churn_until(1_Mw, granted);
        return;  // no interrupt any more
      } catch (std::bad_alloc const&) {
        gaps.push_back(granted);
      }
    }
  }
};

// Upstream: at random, every 10 kw on average.
TEST_CASE("B9 changed: swallowed, it comes again after a grace of 10 kw, of 1 kw, and then at once",
          "[limits][swallow]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    stubborn task{.n = 50, .gaps = {}};
    task.gaps.reserve(task.n);
    auto const before = counters();
    auto const r = run_hit(kind, [&] { task(); });
    auto const after = counters();
    CAPTURE(to_string(kind));
    REQUIRE_FALSE(r);
    REQUIRE(task.gaps.size() == 50);
    CHECK(r.error().deliveries() == 50);
    CHECK(r.error().exception() == nullptr);
    CHECK(after.interrupts[kind] == before.interrupts[kind] + 50);
    CHECK(after.interrupted_tasks[kind] == before.interrupted_tasks[kind] + 1);
    CHECK(task.gaps[0] == 0_w);
    for (std::size_t i = 1; i < task.gaps.size(); ++i) {
      CHECK(task.gaps[i] >= grace_after(i, 10_kw) - small_words);
      CHECK(task.gaps[i] <= grace_after(i, 10_kw) + small_words);
    }
  }
}

TEST_CASE("B9: limits.grace says how long, also 0", "[limits][swallow]") {
  for (double rate : {1.0, 1e-4}) {
    with_seed fixture(1, sampling_rate{rate});
    for (words grace : {0_w, 100_w, 777_w, 50_kw}) {
      stubborn task{.n = 20, .gaps = {}};
      task.gaps.reserve(task.n);
      token stop;
      auto const r = run_limited({.token = stop, .grace = grace}, [&] {
        stop.set();
        task();
      });
      CAPTURE(rate, grace);
      REQUIRE_FALSE(r);
      REQUIRE(task.gaps.size() == 20);
      CHECK(r.error().deliveries() == 20);
      for (std::size_t i = 1; i < task.gaps.size(); ++i) {
        CHECK(task.gaps[i] >= grace_after(i, grace) - small_words);
        CHECK(task.gaps[i] <= grace_after(i, grace) + small_words);
      }
    }
  }
}

TEST_CASE("B9: swallowed in an inner limit that was not hit", "[limits][swallow]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    if (kind == limit_kind::memory) continue;  // D-7: the inner limit is hit as well
    auto const room = with_room(limit_kind::memory);
    stubborn task{.n = 5, .gaps = {}};
    task.gaps.reserve(task.n);
    bool inner_ok = false;
    auto const r =
        run_hit(kind, [&] { inner_ok = run_limited(room, [&] { task(); }).has_value(); });
    CAPTURE(to_string(kind));
    REQUIRE_FALSE(r);
    CHECK(inner_ok);
    CHECK(r.error().deliveries() == 5);
  }
}

TEST_CASE("no grace is given after an inner scope that returned its error", "[limits][swallow]") {
  exactly fixture;
  token stop;
  words granted{};
  auto const outer = limit_with_token(stop, [&] {
    auto const inner = limit_with_token(stop, [&] {
      churn(10_w);
      stop.set();
      churn(2_kw);
    });
    if (!inner) churn_until(20_kw, granted);
  });
  CHECK_FALSE(outer);
  CHECK(granted == 0_w);
}

TEST_CASE("a task that swallows and is then hit by another limit: the first one is named",
          "[limits][swallow]") {
  exactly fixture;
  auto const r = run_limited({.allocations = 10_kw, .memory = 30_kw}, [] {
    holder heap;
    for (int i = 0; i < 10; ++i) {
      try {
        heap.fill(60_kw);
      } catch (std::bad_alloc const&) {
      }
    }
  });
  REQUIRE_FALSE(r);
  CHECK(r.error().kind() == limit_kind::allocations);
  CHECK(r.error().limit() == bytes{10_kw});
}

TEST_CASE("while an exception is in flight nothing is raised; it comes afterwards",
          "[limits][swallow]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    bool unwound = false;
    bool handled = false;
    words granted{};
    auto const r = run_hit(kind, [&] {
      try {
        at_exit const clean{[&] {
          churn(50_kw);
          unwound = true;
        }};
        throw 1;
      } catch (int) {
        handled = true;
      }
      churn_until(50_kw, granted);
    });
    CAPTURE(to_string(kind));
    REQUIRE_FALSE(r);
    CHECK(unwound);
    CHECK(handled);
    CHECK(r.error().deferrals() >= 1);
    CHECK(r.error().deliveries() == 1);
    CHECK(granted < 50_kw);  // tried again after a grace that grows
  }
}

TEST_CASE("in flight: an int thrown through an allocating destructor", "[limits][swallow]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    bool unwound = false;
    auto const task = [&] {
      at_exit const clean{[&] {
        churn(50_kw);
        unwound = true;
      }};
      throw 1;
    };
    CAPTURE(to_string(kind));
    auto const r = run_hit(kind, task);
    REQUIRE_FALSE(r);
    CHECK(unwound);
    CHECK(r.error().deliveries() == 0);
    CHECK(r.error().deferrals() >= 1);
    CHECK(r.error().last_deferral() != nullptr);
    CHECK(r.error().exception() != nullptr);
  }
}

TEST_CASE("a limit inside a destructor that runs during unwinding works", "[limits][swallow]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    std::uint64_t deliveries = 0;
    bool survived = false;
    try {
      at_exit const clean{[&] {
        auto const r = run_hit(kind, [&] {
          churn(2_kw);
          survived = true;
        });
        if (!r) deliveries = r.error().deliveries();
      }};
      throw 1;
    } catch (int) {
    }
    CAPTURE(to_string(kind));
    CHECK(deliveries == 1);
    CHECK_FALSE(survived);
  }
}

}  // namespace
}  // namespace memprof::test
