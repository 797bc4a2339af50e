// SPDX-License-Identifier: MIT
//
// What a soft limit's callback may do: raise limits, free memory, set a token, allocate, throw.
#include <stdexcept>
#include <vector>

#include "memprof/memprof.hpp"

#include "limits/with_soft.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("raise_limit lets the task finish, and arms the soft limit again", "[limits][soft]") {
  exactly fixture;
  for (auto count : {counting::sampled, counting::exact}) {
    std::vector<bytes> seen;
    seen.reserve(20);
    auto const l = with_soft({.allocations = 10_kw, .count = count}, 0.8, [&](auto& notice) {
      seen.push_back(notice.limit());
      notice.raise_limit(notice.limit() + 10_kw);
    });
    CHECK(run_limited(l, [] { churn(35_kw); }));
    // At 8, 16, 24 and 32 kw.
    CHECK(seen == std::vector<bytes>{10_kw, 20_kw, 30_kw, 40_kw});
  }
  // Once only, and the raised limit binds.
  bool raised = false;
  auto const l = with_soft({.memory = 10_kw}, 0.8, [&](auto& notice) {
    if (!raised) notice.raise_limit(20_kw);
    raised = true;
  });
  words held{};
  auto const r = run_limited(l, [&] {
    holder heap;
    for (;;) {
      heap.add(small_block);
      held = heap.held();
    }
  });
  REQUIRE_FALSE(r);
  CHECK(raised);
  CHECK(r.error().limit() == bytes{20_kw});
  CHECK(held >= 20_kw - 2 * small_words);
  CHECK(held <= 20_kw);
}

TEST_CASE("raise_limit says whether it was called, and refuses bad amounts", "[limits][soft]") {
  exactly fixture;
  bool refused = false;
  bool raised_before = true;
  bool raised_after = false;
  auto const l = with_soft({.allocations = 10_kw}, 0.8, [&](auto& notice) {
    if (raised_after) return;
    try {
      notice.raise_limit(bytes{-1});
    } catch (std::invalid_argument const&) {
      refused = true;
    }
    raised_before = notice.raised();
    notice.raise_limit(max_allocation_limit);
    raised_after = notice.raised();
  });
  CHECK(run_limited(l, [] { churn(50_kw); }));
  CHECK(refused);
  CHECK_FALSE(raised_before);
  CHECK(raised_after);
}

TEST_CASE("it may raise a budget's limit, and the global one", "[limits][soft]") {
  exactly fixture;
  budget account(
      with_soft({.allocations = 10_kw}, 0.8, [](auto& notice) { notice.raise_limit(100_kw); }));
  CHECK(account.run([] { churn(9_kw); }));
  CHECK(account.run([] { churn(60_kw); }));

  bytes const before = live_major_memory().value + 1_Mw;
  set_global_memory_limit(before);
  auto const l = with_soft({.global_memory = true}, 0.9,
                           [&](auto& notice) { notice.raise_limit(before + 10_Mw); });
  CHECK(run_limited(l, [] {
    holder heap;
    heap.fill(2_Mw, 65'528);
  }));
  CHECK(global_memory_limit() == before + 10_Mw);
}

TEST_CASE("it may free memory, and so avert the limit", "[limits][soft]") {
  exactly fixture;
  holder cache;
  int calls = 0;
  auto const l = with_soft({.memory = 10_kw}, 0.8, [&](auto&) {
    ++calls;
    cache.clear();
  });
  auto const r = run_limited(l, [&] {
    cache.fill(6_kw);
    holder work;
    work.fill(7_kw);
  });
  CHECK(r);
  CHECK(calls == 1);
}

TEST_CASE("a token that it sets interrupts", "[limits][soft]") {
  exactly fixture;
  token stop;
  words granted{};
  auto const l =
      with_soft({.allocations = 10_kw, .token = stop}, 0.5, [&](auto&) { stop.set("half used"); });
  auto const r = run_limited(l, [&] { churn_until(9_kw, granted); });
  REQUIRE_FALSE(r);
  CHECK(r.error().kind() == limit_kind::token);
  CHECK(granted <= 6_kw + small_words);
}

TEST_CASE("what it allocates is neither counted nor interrupted", "[limits][soft]") {
  exactly fixture;
  bool finished = false;
  auto const l = with_soft({.allocations = 10_kw, .memory = 10_kw}, 0.8, [&](auto&) {
    holder heap;
    heap.fill(50_kw);
    finished = true;
  });
  auto const r = run_limited(l, [] { churn(9_kw); });
  REQUIRE(r);
  CHECK(finished);
  CHECK(r->allocated == bytes{9_kw});
}

TEST_CASE("what it throws is dropped and counted", "[limits][soft]") {
  exactly fixture;
  auto const before = counters().callback_failures;
  auto const l =
      with_soft({.allocations = 10_kw}, 0.8, [](auto&) { throw std::runtime_error("callback"); });
  auto const ok = run_limited(l, [] { churn(9_kw); });
  auto const after = counters().callback_failures;
  CHECK(ok);
  CHECK(after == before + 1);
  CHECK_FALSE(run_limited(l, [] { churn(20_kw); }));
}

}  // namespace
}  // namespace memprof::test
