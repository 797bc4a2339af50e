// SPDX-License-Identifier: MIT
//
// force_interrupt and is_pending: any limit, hit by decree, at the very next allocation.
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "memprof/memprof.hpp"
#include "memprof/testing.hpp"

#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

/// One allocation; was it interrupted?
bool interrupted_here(std::size_t size = small_block) {
  try {
    release(allocate(size), size);
    return false;
  } catch (limit_exceeded const&) {
    return true;
  }
}

TEST_CASE("force_interrupt: the next allocation is interrupted, under every limit", "[testing]") {
  for (auto const kind : all_kinds) {
    bool before = true;
    bool after = true;
    bool pending_before = true;
    bool pending_between = false;
    bool survived = false;
    auto const r = run_limited(with_room(kind), [&] {
      before = interrupted_here();
      pending_before = testing::is_pending();
      testing::force_interrupt();
      pending_between = testing::is_pending();
      try {
        release(allocate(1), 1);
        survived = true;
      } catch (limit_exceeded const& e) {
        after = e.kind() == kind;
        throw;
      }
    });
    set_global_memory_limit(std::nullopt);
    INFO(to_string(kind));
    CHECK_FALSE(before);
    CHECK_FALSE(pending_before);
    CHECK(pending_between);
    CHECK(after);
    CHECK_FALSE(survived);
    REQUIRE_FALSE(r);
    CHECK(r.error().kind() == kind);
    CHECK(r.error().deliveries() == 1);
    CHECK(r.error().deferrals() == 0);
  }
}

TEST_CASE("force_interrupt: each limit function and a budget", "[testing]") {
  const auto task = [] {
    testing::force_interrupt();
    churn(100_w);
  };
  const auto is = [](auto const& r, limit_kind kind) {
    return !r && r.error().kind() == kind && r.error().deliveries() == 1;
  };
  token stop;
  std::stop_source source;
  budget shared({.memory = 1_GiB});
  set_global_memory_limit(max_allocation_limit);
  CHECK(is(limit_allocations(1_GiB, task), limit_kind::allocations));
  CHECK(is(limit_memory(1_GiB, task), limit_kind::memory));
  CHECK(is(limit_global_memory(task), limit_kind::global_memory));
  CHECK(is(limit_with_token(stop, task), limit_kind::token));
  CHECK(is(limit_with_token(source.get_token(), task), limit_kind::token));
  CHECK(is(limit_time(std::chrono::hours(1), task), limit_kind::deadline));
  CHECK(is(run_limited({}, task), limit_kind::allocations));
  CHECK(is(shared.run(task), limit_kind::memory));
  // It was that run, not the budget.
  CHECK(shared.run([] { churn(100_w); }));
  set_global_memory_limit(std::nullopt);
}

TEST_CASE("force_interrupt: the kind is the first of what the limit names", "[testing]") {
  auto const r = run_limited({.memory = 1_GiB, .time = std::chrono::hours(1)}, [] {
    testing::force_interrupt();
    churn(1_w);
  });
  REQUIRE_FALSE(r);
  CHECK(r.error().kind() == limit_kind::memory);
  CHECK(r.error().limit() == 1_GiB);
}

TEST_CASE("force_interrupt: the innermost scope, not those around it", "[testing]") {
  bool pending_outside = true;
  auto const outer = limit_memory(1_GiB, [&] {
    auto const inner = limit_allocations(1_GiB, [] {
      testing::force_interrupt();
      churn(1_w);
    });
    pending_outside = testing::is_pending();
    return !inner;
  });
  REQUIRE(outer);
  CHECK(*outer);
  CHECK_FALSE(pending_outside);
}

TEST_CASE("force_interrupt: pending while masked, delivered after", "[testing]") {
  bool masked_hit = true;
  bool pending_in_mask = false;
  bool hit_after = false;
  bool pending_after = true;
  auto const r = limit_allocations(1_GiB, [&] {
    {
      const masked_scope mask;
      testing::force_interrupt();
      masked_hit = interrupted_here();
      pending_in_mask = testing::is_pending();
    }
    hit_after = interrupted_here(1);
    pending_after = testing::is_pending();
  });
  CHECK_FALSE(masked_hit);
  CHECK(pending_in_mask);
  CHECK(hit_after);
  CHECK_FALSE(pending_after);
  REQUIRE_FALSE(r);
  CHECK(r.error().deferrals() == 1);
}

TEST_CASE("force_interrupt: asked again, it cuts the grace of a task that swallows", "[testing]") {
  int hits = 0;
  bool graced = true;
  auto const r = limit_allocations(1_GiB, [&] {
    for (int i = 0; i < 2; ++i) {
      testing::force_interrupt();
      hits += interrupted_here() ? 1 : 0;
      graced &= !interrupted_here();
    }
  });
  CHECK(hits == 2);
  CHECK(graced);
  REQUIRE_FALSE(r);
  CHECK(r.error().deliveries() == 2);
}

TEST_CASE("force_interrupt: cancellation_point is a delivery point, malloc is none", "[testing]") {
  bool at_point = false;
  auto const r = limit_allocations(1_GiB, [&] {
    testing::force_interrupt();
    std::free(std::malloc(100));
    try {
      cancellation_point();
    } catch (limit_exceeded const&) {
      at_point = true;
    }
  });
  CHECK(at_point);
  CHECK_FALSE(r);
}

TEST_CASE("force_interrupt: never delivered, the result is an error all the same", "[testing]") {
  auto const r = limit_allocations(1_GiB, [] { testing::force_interrupt(); });
  REQUIRE_FALSE(r);
  CHECK(r.error().deliveries() == 0);
  CHECK(r.error().exception() == nullptr);
}

TEST_CASE("force_interrupt: outside any limit it says so", "[testing]") {
  CHECK_THROWS_AS(testing::force_interrupt(), std::logic_error);
  CHECK_FALSE(testing::is_pending());
  // Limits belong to threads.
  bool thrown = false;
  auto const r = limit_allocations(1_GiB, [&] {
    const masked_scope mask;  // the thread's start is not what is tested
    std::thread([&] {
      try {
        testing::force_interrupt();
      } catch (std::logic_error const&) {
        thrown = true;
      }
    }).join();
  });
  CHECK(r);
  CHECK(thrown);
}

}  // namespace
}  // namespace memprof::test
