// SPDX-License-Identifier: MIT
//
// limits::explain: the error says by which stacks the task's memory came.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include "memprof/memprof.hpp"

#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

// Functions whose names are looked for in stacks. Each does something of its own after the call, so
// that it has a frame, and is not merged with another one.
[[gnu::noinline]] void take_much(holder& h, words total) {
  h.fill(total);
  asm volatile("# take_much");
}
[[gnu::noinline]] void take_little(holder& h, words total) {
  h.fill(total);
  asm volatile("# take_little");
}
[[gnu::noinline]] void take_one(holder& h, std::size_t size) {
  h.add(size);
  asm volatile("# take_one");
}
[[gnu::noinline]] void take_and_free(words total) {
  churn(total);
  asm volatile("# take_and_free");
}

bool is_by(stack_amount const& s, char const* function) {
  return std::ranges::any_of(s.callstack, [&](void* frame) {
    return describe(frame).find(function) != std::string::npos;
  });
}

/// The amounts of all stacks that pass through `function`, added up: value, lower, upper.
struct sums {
  bytes value{}, lower{}, upper{};
  std::uint64_t samples = 0;
};
sums by(std::span<stack_amount const> stacks, char const* function) {
  sums all;
  for (stack_amount const& s : stacks) {
    if (!is_by(s, function)) continue;
    all.value += s.amount.value;
    all.lower += s.amount.lower;
    all.upper += s.amount.upper;
    all.samples += s.amount.samples;
  }
  return all;
}

bool is_sorted(std::span<stack_amount const> stacks) {
  return std::ranges::is_sorted(
      stacks, [](auto const& a, auto const& b) { return a.amount.value > b.amount.value; });
}

TEST_CASE("explain: at rate 1 each stack has exactly what it took", "[limits][explain]") {
  exactly fixture;
  holder much, little;
  words taken_much{}, taken_little{};
  auto const r = run_limited({.memory = 50_kw, .explain = 4}, [&] {
    take_little(little, 8_kw);
    taken_little = little.held();
    take_and_free(30_kw);
    take_much(much, 100_kw);
  });
  taken_much = much.held();
  REQUIRE_FALSE(r);
  auto const live = r.error().live_stacks();
  auto const allocated = r.error().allocated_stacks();
  CHECK(is_sorted(live));
  CHECK(is_sorted(allocated));
  REQUIRE(live.size() == 2);
  REQUIRE(allocated.size() >= 3);
  CHECK(is_by(live[0], "take_much"));
  CHECK(is_by(live[1], "take_little"));
  // With the request that was refused.
  CHECK(by(live, "take_much").value == taken_much + small_words);
  CHECK(by(live, "take_little").value == taken_little);
  CHECK(live[0].amount.value + live[1].amount.value == r.error().measured());
  CHECK(by(allocated, "take_much").value == taken_much + small_words);
  CHECK(by(allocated, "take_little").value == taken_little);
  CHECK(by(allocated, "take_and_free").value == 30_kw);
  for (auto const& s : allocated) {
    CHECK(s.amount.lower == s.amount.value);
    CHECK(s.amount.upper == s.amount.value);
  }
  std::string const message = r.error().message();
  CAPTURE(message);
  CHECK(message.find("; most of it: ") != std::string::npos);
  CHECK(message.find("KiB (exact) by ") != std::string::npos);
}

TEST_CASE("explain: the request that hits the limit is named, even if it is the first",
          "[limits][explain]") {
  with_seed fixture(7);
  for (bool const possible : {true, false}) {
    holder h;
    auto const r = run_limited({.allocations = 1_MiB, .explain = 1},
                               [&] { take_one(h, possible ? 64 << 20 : std::size_t{1} << 50); });
    CAPTURE(possible);
    REQUIRE_FALSE(r);
    REQUIRE(r.error().allocated_stacks().size() == 1);
    CHECK(is_by(r.error().allocated_stacks()[0], "take_one"));
    CHECK(r.error().allocated_stacks()[0].amount.value >= 64_MiB);
  }
}

// Each amount is outside of its interval with probability 0.05 at most, lower and upper alike; the
// two stacks of 200 runs are 400 looks, so more than 51 misses come with probability 5e-10.
TEST_CASE("explain: amounts are within their intervals", "[limits][explain]") {
  int misses = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    with_seed fixture(seed, sampling_rate{1e-3});
    set_process_sampling_rate(sampling_rate{1e-3});
    holder much, little;
    words freed{};
    auto const r = run_limited({.allocations = 500_kw, .explain = 8}, [&] {
      {
        holder gone;
        take_little(gone, 60_kw);
        freed = gone.held();
      }
      take_little(little, 50_kw);
      take_much(much, 2000_kw);
    });
    REQUIRE_FALSE(r);
    auto const check = [&](sums const& s, bytes truth) {
      if (s.lower > truth || s.upper < truth) ++misses;
    };
    check(by(r.error().live_stacks(), "take_little"), little.held());
    check(by(r.error().allocated_stacks(), "take_little"), little.held() + freed);
    set_process_sampling_rate(default_sampling_rate);
  }
  CHECK(misses <= 51);
}

TEST_CASE("explain: every kind of limit has stacks", "[limits][explain]") {
  exactly fixture;
  for (limit_kind const kind : all_kinds) {
    holder h;
    auto const r = run_hit(kind,
                           [&] {
                             take_much(h, 4_kw);
                             for (int i = 0; i < 100; ++i) cancellation_point();
                           },
                           {.explain = 2});
    set_global_memory_limit(std::nullopt);
    CAPTURE(to_string(kind));
    REQUIRE_FALSE(r);
    CHECK(r.error().kind() == kind);
    bool const amount = kind != limit_kind::token && kind != limit_kind::deadline;
    if (amount) {
      REQUIRE_FALSE(r.error().live_stacks().empty());
      CHECK(is_by(r.error().live_stacks()[0], "take_much"));
      CHECK(r.error().live_stacks()[0].amount.value == small_words);
    } else {
      // The request that found it was not the cause.
      CHECK(r.error().live_stacks().empty());
    }
  }
}

TEST_CASE("explain: what a task had when its token was set", "[limits][explain]") {
  exactly fixture;
  token stop;
  holder h;
  auto const r = run_limited({.token = stop, .explain = 2}, [&] {
    take_much(h, 4_kw);
    stop.set();
    churn(10_kw);
  });
  REQUIRE_FALSE(r);
  REQUIRE_FALSE(r.error().live_stacks().empty());
  CHECK(by(r.error().live_stacks(), "take_much").value == h.held());
  CHECK(r.error().message().find("; the largest part: ") != std::string::npos);
}

TEST_CASE("explain: of nested scopes each has what was taken inside it", "[limits][explain]") {
  exactly fixture;
  holder outer_blocks, inner_blocks, last;
  std::optional<result<counted<void>>> inner;
  auto const outer = run_limited({.memory = 60_kw, .explain = 4}, [&] {
    take_little(outer_blocks, 20_kw);
    // Its own memory is charged to the outer task, which asks, and to none of its own.
    static_cast<void>(limit_memory(30_kw, [&] { take_little(outer_blocks, 10_kw); }));
    inner = run_limited({.memory = 5_kw, .explain = 4}, [&] { take_much(inner_blocks, 10_kw); });
    take_and_free(20_kw);
    last.fill(60_kw);
  });
  REQUIRE(inner.has_value());
  REQUIRE_FALSE(inner->has_value());
  CHECK(inner->error().live_stacks().size() == 1);
  CHECK(by(inner->error().live_stacks(), "take_much").value == inner_blocks.held() + small_words);
  CHECK(by(inner->error().live_stacks(), "take_little").value == bytes{0});
  REQUIRE_FALSE(outer);
  CHECK(by(outer.error().live_stacks(), "take_little").value == outer_blocks.held());
  CHECK(by(outer.error().live_stacks(), "take_much").value == inner_blocks.held());
  CHECK(by(outer.error().live_stacks(), "take_and_free").value == bytes{0});
}

TEST_CASE("explain: blocks that another thread frees come off their stack", "[limits][explain]") {
  exactly fixture;
  holder much, little;
  auto const r = run_limited({.memory = 50_kw, .explain = 4}, [&] {
    take_much(much, 30_kw);
    take_little(little, 10_kw);
    in_thread([&] { much.clear(); });
    take_little(little, 60_kw);
  });
  REQUIRE_FALSE(r);
  CHECK(by(r.error().live_stacks(), "take_much").value == bytes{0});
  CHECK(by(r.error().live_stacks(), "take_little").value == little.held() + small_words);
  CHECK(by(r.error().allocated_stacks(), "take_much").value >= 30_kw);
}

TEST_CASE("explain: a budget has the stacks of all its threads", "[limits][explain]") {
  exactly fixture;
  budget account({.memory = 100_kw, .explain = 4});
  std::array<holder, 4> kept;
  in_threads(kept.size(), [&](std::size_t i) {
    static_cast<void>(account.run([&] { take_little(kept[i], 10_kw); }));
  });
  holder much;
  auto const r = account.run([&] { take_much(much, 100_kw); });
  REQUIRE_FALSE(r);
  bytes little{};
  for (holder const& h : kept) little += h.held();
  CHECK(by(r.error().live_stacks(), "take_little").value == little);
  CHECK(by(r.error().live_stacks(), "take_much").value == much.held() + small_words);
  CHECK(is_by(r.error().live_stacks()[0], "take_much"));
}

TEST_CASE("explain: a task that hops has the stacks of all its parts", "[limits][explain]") {
  exactly fixture;
  budget account({.allocations = 50_kw, .explain = 4});
  budget_handle const task = account.handle();
  holder first, last;
  task.resume([&] { take_little(first, 20_kw); });
  in_thread([&] { task.resume([&] { take_much(last, 100_kw); }); });
  auto const error = task.interruption();
  REQUIRE(error.has_value());
  CHECK(by(error->allocated_stacks(), "take_little").value == first.held());
  CHECK(by(error->allocated_stacks(), "take_much").value == last.held() + small_words);
}

TEST_CASE("explain: more stacks than the table has rows are summed as one", "[limits][explain]") {
  exactly fixture;
  // Stacks of different depth: 64 frames are kept, so the depth is written into the innermost ones.
  struct recursion {
    [[gnu::noinline]] static void go(holder& h, unsigned path, int depth) {
      if (depth == 0) return h.add(small_block);
      if (path % 2 == 0) {  // two calls: nothing before and behind them is the same
        asm volatile("nop");
        go(h, path / 2, depth - 1);
        asm volatile("nop");
      } else {
        asm volatile("");
        go(h, path / 2, depth - 1);
        asm volatile("");
      }
    }
  };
  holder h;
  auto const r = run_limited({.memory = 20_kw, .explain = 16}, [&] {
    for (unsigned path = 0; path < 2048; ++path) recursion::go(h, path, 11);
    take_much(h, 40_kw);
  });
  REQUIRE_FALSE(r);
  auto const live = r.error().live_stacks();
  REQUIRE(live.size() == 16);
  auto const rest =
      std::ranges::find_if(live, [](stack_amount const& s) { return s.callstack.empty(); });
  REQUIRE(rest != live.end());
  // Which stacks have a row depends on when they came: take_much came too late.
  CHECK(rest->amount.value > small_words * 1000);
  CHECK(rest->amount.value < h.held());
}

TEST_CASE("explain: not asked for, there is nothing", "[limits][explain]") {
  exactly fixture;
  holder h;
  auto const r = run_limited({.memory = 5_kw}, [&] { take_much(h, 10_kw); });
  REQUIRE_FALSE(r);
  CHECK(r.error().live_stacks().empty());
  CHECK(r.error().allocated_stacks().empty());
  CHECK(r.error().message().find(" by ") == std::string::npos);
}

TEST_CASE("explain: more than 16 stacks are refused", "[limits][explain]") {
  CHECK_THROWS_AS(run_limited({.explain = 17}, [] {}), std::invalid_argument);
  CHECK_THROWS_AS(run_limited({.explain = 1u << 30}, [] {}), std::invalid_argument);
  CHECK_THROWS_AS(budget({.explain = 17}), std::invalid_argument);
}

}  // namespace
}  // namespace memprof::test
