// SPDX-License-Identifier: MIT
//
// for_each_interrupt: every point, exactly once, and what it says about them.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using testing::failure_kind;
using testing::for_each_interrupt;
using testing::interruption;
using testing::replay_interrupt;

/// Takes `n` blocks one after the other, and gives them back.
void take(int n) {
  holder blocks;
  for (int i = 0; i < n; ++i) blocks.add(small_block);
}

TEST_CASE("for_each_interrupt: each point once, in order", "[testing]") {
  std::vector<int> got;
  std::vector<interruption> runs;
  int n = 0;
  auto const r = for_each_interrupt(
      [&] {
        n = 0;
        holder blocks;
        for (; n < 5; ++n) blocks.add(small_block);
      },
      [&](interruption const& run) {
        got.push_back(n);
        runs.push_back(run);
      });
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.points == 5);
  CHECK(r.tried == 5);
  CHECK(r.delivered == 5);
  CHECK(r.deferred == 0);
  CHECK(r.unreached == 0);
  CHECK(r.complete());
  CHECK(r.deterministic);
  // Three runs without, one for each point, one that finds that there is no sixth.
  CHECK(got == std::vector{5, 5, 5, 0, 1, 2, 3, 4, 5});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool interrupted = i >= 3 && i < 8;
    CHECK(runs[i].ordinal == (i < 3 ? 0 : i - 2));
    CHECK(runs[i].delivered == interrupted);
    CHECK(runs[i].completed() != interrupted);
  }
}

TEST_CASE("for_each_interrupt: a state made anew for each run, without interrupts", "[testing]") {
  struct immovable {
    explicit immovable(int n) : blocks() {
      for (int i = 0; i < n; ++i) blocks.add(small_block);
    }
    immovable(immovable const&) = delete;
    immovable& operator=(immovable const&) = delete;
    holder blocks;
  };
  int made = 0;
  auto const r = for_each_interrupt(
      [&] {
        ++made;
        return immovable(3);
      },
      [](immovable& s) {
        s.blocks.add(small_block);
        s.blocks.add(small_block);
      },
      [](immovable& s, interruption const& run) {
        return s.blocks.held() == (run.ordinal == 1 ? 3 : run.ordinal == 2 ? 4 : 5) * small_words;
      });
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.points == 2);  // the state's own blocks are no points, and given back are no leak
  CHECK(made == 3 + 2 + 1);
}

TEST_CASE("for_each_interrupt: points that must wait are deferred", "[testing]") {
  auto const r = for_each_interrupt([] {
    take(1);
    {
      const masked_scope mask;
      take(2);
    }
    take(1);
    const masked_scope mask;
    take(3);
  });
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.points == 7);
  CHECK(r.delivered == 2);
  CHECK(r.deferred == 5);
  CHECK(r.late == 2);
  REQUIRE(r.deferrals.size() == 1);
  CHECK(r.deferrals[0].reason == "inside a masked region");
  CHECK(r.deferrals[0].points == 5);
  CHECK(r.deferrals[0].first_ordinal == 2);
}

// That there is no back-off elsewhere, preflight_test.cpp finds.
TEST_CASE("for_each_interrupt: after a mask, a deferred interrupt comes at the very next point",
          "[testing]") {
  int at_the_first = 0;
  auto const r = for_each_interrupt(
      [&] {
        int n = 0;
        try {
          {
            const masked_scope mask;
            for (; n < 10; ++n) take(1);
          }
          for (; n < 20; ++n) take(1);
        } catch (limit_exceeded const&) {
          at_the_first += n == 10 ? 1 : 0;
          throw;
        }
      },
      [] {});
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.late == 10);
  CHECK(at_the_first == 11);
}

TEST_CASE("for_each_interrupt: the innermost limit, or all of the scenario", "[testing]") {
  int inner_errors = 0;
  int outer = 0;
  const auto scenario = [&] {
    take(1);
    auto const r = limit_memory(1_GiB, [] { take(2); });
    inner_errors += r ? 0 : 1;
    take(1);
  };
  const auto check = [&](interruption const& run) { outer += run.completed() ? 0 : 1; };
  auto const innermost = for_each_interrupt(scenario, check);
  INFO(innermost.message());
  CHECK(innermost.ok());
  CHECK(innermost.points == 4);
  CHECK(inner_errors == 2);
  CHECK(outer == 2);

  inner_errors = outer = 0;
  auto const outermost = for_each_interrupt(scenario, check, {.hit_outermost = true});
  INFO(outermost.message());
  CHECK(outermost.ok());
  CHECK(inner_errors == 0);
  CHECK(outer == 4);
}

TEST_CASE("for_each_interrupt: sampled limits in the scenario count every word", "[testing]") {
  // 20 words are far below one sample at the default rate.
  bool hit = true;
  auto const r = for_each_interrupt([&] {
    auto const inner = limit_allocations(20_w, [] { churn(80_w); });
    hit &= !inner;
  });
  CHECK(r.ok());
  CHECK(hit);
}

TEST_CASE("for_each_interrupt: a random part of the points", "[testing]") {
  const auto ordinals = [](testing::interrupt_options const& options) {
    std::vector<std::uint64_t> seen;
    auto const r = for_each_interrupt([] { take(200); },
                                      [&](interruption const& run) {
                                        if (run.ordinal > 0) seen.push_back(run.ordinal);
                                      },
                                      options);
    CHECK(r.ok());
    CHECK(r.points == 200);
    CHECK(r.tried == 20);
    CHECK(r.left_out == 180);
    CHECK_FALSE(r.complete());
    return seen;
  };
  auto const first = ordinals({.max_points = 20, .seed = 7});
  CHECK(first.size() == 20);
  CHECK(std::is_sorted(first.begin(), first.end()));
  CHECK(std::adjacent_find(first.begin(), first.end()) == first.end());
  CHECK(ordinals({.max_points = 20, .seed = 7}) == first);
  CHECK(ordinals({.max_points = 20, .seed = 8}) != first);
}

TEST_CASE("for_each_interrupt: each point several times", "[testing]") {
  auto const r = for_each_interrupt([] { take(3); }, {.repeat = 4});
  CHECK(r.ok());
  CHECK(r.points == 3);
  CHECK(r.tried == 12);
  CHECK(r.delivered == 12);
}

TEST_CASE("for_each_interrupt: a time limit cuts it, in random order", "[testing]") {
  std::vector<std::uint64_t> seen;
  auto const r = for_each_interrupt([] { take(100); },
                                    [&](interruption const& run) { seen.push_back(run.ordinal); },
                                    {.time_limit = std::chrono::hours(1)});
  CHECK(r.ok());
  CHECK(r.complete());
  CHECK_FALSE(std::is_sorted(seen.begin(), seen.end()));
  auto const none = for_each_interrupt([] { take(100); }, {.time_limit = std::chrono::seconds(0)});
  CHECK(none.ok());
  CHECK(none.tried == 0);
  CHECK(none.left_out == 100);
  CHECK(none.message().find("100 points left out") != std::string::npos);
}

TEST_CASE("for_each_interrupt: scenarios that vary are run, and reported as such", "[testing]") {
  int run = 0;
  auto const r = for_each_interrupt([&] { take(4 + run++ % 3); });
  INFO(r.message());
  CHECK(r.ok());
  CHECK_FALSE(r.deterministic);
  CHECK(r.message().find("not deterministic") != std::string::npos);

  // The same number of points, other sizes.
  std::size_t size = 16;
  auto const sizes = for_each_interrupt([&] { release(allocate(size), size), size += 16; });
  CHECK(sizes.ok());
  CHECK_FALSE(sizes.deterministic);
}

TEST_CASE("for_each_interrupt: points that appear after an interrupt are tried, too", "[testing]") {
  // A cache that an interrupt empties: the following run has two points more.
  bool warm = false;
  auto const r = for_each_interrupt([&] {
    const bool fill = !std::exchange(warm, false);
    if (fill) take(2);
    take(2);
    warm = true;
  });
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.points == 4);
  CHECK(r.tried == 4);
  CHECK_FALSE(r.deterministic);
}

TEST_CASE("for_each_interrupt: caches are no leaks", "[testing]") {
  // Filled by the first run; one more by the first interrupt; one replaced by every run.
  holder by_run;
  holder by_interrupt;
  void* replaced = nullptr;
  auto const r = for_each_interrupt([&] {
    if (by_run.held() == 0_w) by_run.add(small_block);
    try {
      take(2);
      void* const next = allocate(small_block);
      release(std::exchange(replaced, next), small_block);
    } catch (...) {
      const masked_scope mask;
      if (by_interrupt.held() == 0_w) by_interrupt.add(small_block);
      throw;
    }
  });
  release(replaced, small_block);
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.deterministic);
}

TEST_CASE("for_each_interrupt: only the points of the calling thread", "[testing]") {
  auto const r = for_each_interrupt(
      [] {
        const masked_scope mask;  // the thread's start allocates, too
        std::thread([] { take(50); }).join();
      },
      [] {}, {.leak_check = false});
  INFO(r.message());
  CHECK(r.points < 10);
  CHECK(r.delivered == 0);
}

TEST_CASE("replay_interrupt: the same point again", "[testing]") {
  std::vector<interruption> runs;
  auto const r = replay_interrupt(
      3, [] { take(5); }, [&](interruption const& run) { runs.push_back(run); });
  CHECK(r.ok());
  CHECK(r.points == 5);
  CHECK(r.tried == 1);
  CHECK(r.delivered == 1);
  CHECK(r.left_out == 4);
  REQUIRE(runs.size() == 4);
  CHECK(runs.back().ordinal == 3);
  CHECK(runs.back().delivered);

  auto const missed = replay_interrupt(
      9, [] { take(5); }, [] {});
  CHECK(missed.unreached == 1);
  CHECK(missed.left_out == 5);
  auto const none = replay_interrupt(
      0, [] { take(5); }, [] {});
  CHECK(none.ok());
  CHECK(none.tried == 0);
}

TEST_CASE("for_each_interrupt: it leaves nothing behind in the thread", "[testing]") {
  exactly fixture;
  auto const r = for_each_interrupt([] { take(5); });
  CHECK(r.ok());
  CHECK_FALSE(testing::is_pending());
  CHECK_FALSE(is_interrupted());
  auto const after = limit_allocations(1_GiB, [] { churn(800_w); });
  REQUIRE(after);
  CHECK(after->allocated == bytes{800_w});
}

TEST_CASE("for_each_interrupt: what it refuses", "[testing]") {
  bool thrown = false;
  static_cast<void>(limit_allocations(1_GiB, [&] {
    try {
      for_each_interrupt([] {});
    } catch (std::logic_error const&) {
      thrown = true;
    }
  }));
  CHECK(thrown);
  CHECK_THROWS_AS(for_each_interrupt([] { take(1); }, {.repeat = 0}), std::invalid_argument);
  CHECK_THROWS_AS(for_each_interrupt([] { take(1); }, {.time_limit = std::chrono::seconds(-1)}),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      for_each_interrupt([] { take(1); }, {.isolate = true, .hang_after = std::chrono::seconds(0)}),
      std::invalid_argument);
  // What `make` throws is the test's own failure.
  CHECK_THROWS_AS(for_each_interrupt([]() -> int { throw std::runtime_error("no database"); },
                                     [](int&) { take(1); }, [](int&) {}),
                  std::runtime_error);
}

}  // namespace
}  // namespace memprof::test
