// SPDX-License-Identifier: MIT
//
// The global memory limit: the estimated live major heap of the process.
#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>
#include <utility>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

bytes major_now() { return live_major_memory().value; }

/// What Catch2 allocated so far is major after this, and changes the estimate no more.
void settle() { churn(nursery() + 10_kw, 4088); }

TEST_CASE("C1: off by default, nobody is interrupted", "[limits][global]") {
  with_seed fixture(1);
  CHECK_FALSE(global_memory_limit().has_value());
  auto const r = limit_global_memory([] {
    churn(50_Mw, 4088);
    return 1;
  });
  CHECK(r);
}

TEST_CASE("C2: at limit 0 the first allocation is interrupted, idle tasks are not",
          "[limits][global]") {
  exactly fixture;
  set_global_memory_limit(bytes{0});
  REQUIRE(global_memory_limit() == bytes{0});
  words granted{};
  auto const busy = limit_global_memory([&] { churn_until(2_kw, granted); });
  auto const idle = limit_global_memory([] { return 1; });
  REQUIRE_FALSE(busy);
  CHECK(busy.error().kind() == limit_kind::global_memory);
  CHECK(busy.error().limit() == bytes{0});
  CHECK(granted == 0_w);
  CHECK(idle);
}

// Differs from upstream, where it is the task's next sample (10 kw on average).
TEST_CASE("C3: over the limit, a task is interrupted at its first allocation, or within 1 kw",
          "[limits][global]") {
  exactly fixture;
  settle();
  holder heap;
  heap.fill(1_Mw, major_block);
  bytes const half = major_now() / 2;

  set_global_memory_limit(half);
  words at_start{};
  auto const new_task = limit_global_memory([&] { churn_until(20_kw, at_start); });
  CHECK_FALSE(new_task);
  CHECK(at_start == 0_w);

  set_global_memory_limit(std::nullopt);
  words later{};
  auto const running = limit_global_memory([&] {
    churn(5_kw);
    set_global_memory_limit(half);
    churn_until(20_kw, later);
  });
  REQUIRE_FALSE(running);
  CHECK(later <= 1_kw);
  CHECK(running.error().limit() == half);
  CHECK(running.error().measured() > half);
}

TEST_CASE("C3: the limit holds what the tasks of a thread keep, minor blocks when they survive",
          "[limits][global]") {
  exactly fixture;
  settle();
  auto const hits = [](words nursery_size) {
    set_nursery(nursery_size);
    return in_thread([] {
      set_global_memory_limit(major_now() + 200_kw);
      words kept{};
      auto const r = limit_global_memory([&] {
        holder heap;
        for (; kept < 800_kw; kept = heap.held()) heap.add(504);
      });
      return std::pair(!r.has_value(), kept);
    });
  };
  auto const [soon, kept] = hits(20_kw);
  CHECK(soon);
  CHECK(kept >= 150_kw);
  CHECK(kept <= 250_kw);  // nursery, polling, block, and what the tests' own blocks do meanwhile
  auto const [never, all] = hits(100_Mw);
  CHECK_FALSE(never);
  CHECK(all >= 800_kw);
}

TEST_CASE("C5: a task once hit stays interrupted, a new task starts clean", "[limits][global]") {
  exactly fixture;
  set_global_memory_limit(bytes{0});
  int deliveries = 0;
  bool still = false;
  bool new_task_ok = false;
  auto const r = limit_global_memory([&] {
    for (int i = 0; i < 2; ++i) {
      try {
        churn(50_kw);
      } catch (limit_exceeded const&) {
        ++deliveries;
        set_global_memory_limit(i == 0 ? std::nullopt : std::optional(max_allocation_limit));
      }
      // Not in the handler: starting a thread may end in std::terminate there, by its tables.
      still = is_interrupted();
      new_task_ok = in_thread([] { return limit_global_memory([] { churn(5_kw); }).has_value(); });
    }
    return 1;
  });
  REQUIRE_FALSE(r);
  CHECK(deliveries == 2);
  CHECK(r.error().deliveries() == 2);
  CHECK(still);
  CHECK(new_task_ok);
  CHECK(limit_global_memory([] { churn(50_kw); }));
}

// Upstream checks the innermost scope only; here every enclosing one is hit.
TEST_CASE("C6 mended: nested global limits are all hit", "[limits][global]") {
  exactly fixture;
  set_global_memory_limit(bytes{0});
  bool inner_error = false;
  bool middle_error = false;
  auto const outer = limit_global_memory([&] {
    auto const middle = limit_global_memory([&] {
      inner_error = !limit_global_memory([] { churn(2_kw); }).has_value();
      return 1;
    });
    middle_error = !middle.has_value();
    return 2;  // nothing more is allocated
  });
  CHECK(inner_error);
  CHECK(middle_error);
  CHECK_FALSE(outer);
}

TEST_CASE("C4, C7: the task that allocates is hit; no other thread is", "[limits][global]") {
  exactly fixture;
  std::atomic<int> step = 0;
  std::optional<bool> idle_ok;
  bool unlimited_ok = false;
  std::thread idle([&] {
    idle_ok = limit_global_memory([&] {
                churn(1_kw);
                step = 1;
                while (step < 2) std::this_thread::yield();
                return 1;
              }).has_value();
  });
  std::thread unlimited([&] {
    while (step < 1) std::this_thread::yield();
    churn(200_kw);
    unlimited_ok = true;
  });
  while (step < 1) std::this_thread::yield();
  set_global_memory_limit(bytes{0});
  auto const busy = limit_global_memory([] { churn(2_kw); });
  unlimited.join();
  step = 2;
  idle.join();
  CHECK_FALSE(busy);
  CHECK(idle_ok == true);
  CHECK(unlimited_ok);
}

// Upstream notices after a heap growth step, 8 % too late; here before the block is obtained.
TEST_CASE("C8 mended: no overshoot", "[limits][global]") {
  exactly fixture;
  settle();
  for (words room : {500_kw, 2_Mw}) {
    bytes const limit = major_now() + room;
    set_global_memory_limit(limit);
    holder heap;
    auto const r = limit_global_memory([&] { heap.fill(2 * room, major_block); });
    CAPTURE(room.count());
    REQUIRE_FALSE(r);
    CHECK(major_now() <= limit + bytes{1_kw});
    CHECK(heap.held() <= room + 1_kw);
    CHECK(heap.held() >= room - 20_kw);
    CHECK(r.error().limit() == limit);
    CHECK(r.error().measured() > limit);
    CHECK(r.error().measured() <= limit + bytes{2 * 8192_w});
  }
}

TEST_CASE("C8 mended: one huge request is refused, not granted", "[limits][global]") {
  with_seed fixture(8);
  settle();
  set_global_memory_limit(major_now() + 5_Mw);
  bool granted = false;
  auto const r = limit_global_memory([&] {
    churn(1_kw);
    release(allocate(800'000'000), 800'000'000);  // 100 Mw: fewer than 500 samples once in 1e+3000
    granted = true;
  });
  REQUIRE_FALSE(r);
  CHECK_FALSE(granted);
}

TEST_CASE("once it is set, what is allocated outside of tasks counts, too", "[limits][global]") {
  with_seed fixture(9);
  set_process_sampling_rate(sampling_rate{0.0});
  settle();
  bytes const unasked = live_memory().value;
  holder without;
  without.fill(2_Mw, 4000);
  CHECK(live_memory().value <= unasked);
  set_global_memory_limit(major_now() + 8_MiB);
  bytes const before = major_now();
  holder kept;
  kept.fill(4_Mw, 4000);  // 400 samples: half of them once in 1e20
  CHECK(major_now() > before + 16_MiB);
  auto const r = limit_global_memory([] { churn(1_Mw, 4000); });
  REQUIRE_FALSE(r);
  CHECK(r.error().kind() == limit_kind::global_memory);
  set_global_memory_limit(std::nullopt);
  settle();
  bytes const then = live_memory().value;
  holder again;
  again.fill(2_Mw, 4000);
  CHECK(live_memory().value <= then);
}

// Upstream needs a compaction first.
TEST_CASE("C9 vanishes: memory is given back by unwinding, the next task has room",
          "[limits][global]") {
  exactly fixture;
  settle();
  set_global_memory_limit(major_now() + 1_Mw);
  for (int i = 0; i < 3; ++i) {
    auto const greedy = limit_global_memory([] {
      holder heap;
      heap.fill(2_Mw, major_block);
    });
    auto const modest = limit_global_memory([] {
      holder heap;
      heap.fill(500_kw, major_block);
    });
    CHECK_FALSE(greedy);
    CHECK(modest);
  }
}

}  // namespace
}  // namespace memprof::test
