// SPDX-License-Identifier: MIT
//
// limit_time. The clock is real: checks hold on a busy machine, too.
#include <chrono>
#include <optional>
#include <thread>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

TEST_CASE("E1: a deadline of 0 has passed: error, the task is not run", "[limits][deadline]") {
  with_seed fixture(1);
  bool ran = false;
  auto const task = [&] { ran = true; };
  auto const check = [&](auto const& r) {
    REQUIRE_FALSE(r);
    CHECK(r.error().kind() == limit_kind::deadline);
    CHECK_FALSE(r.error().started());
    CHECK(r.error().deliveries() == 0);
    CHECK(r.error().exception() == nullptr);
    CHECK_FALSE(r.error().message().empty());
  };
  check(limit_time(0ns, task));
  check(run_limited({.time = 0ns}, task));
  check(budget({.time = 0ns}).run(task));
  CHECK_FALSE(ran);
}

TEST_CASE("one point in time for all runs of a request", "[limits][deadline]") {
  with_seed fixture(1);
  budget request({.deadline = clock::now() + 30ms});
  int runs = 0;
  bool in_time = false;
  for (; runs < 10'000; ++runs) {
    auto const before = clock::now();
    auto const r = request.run([] { churn(20_kw); });
    if (r) continue;
    CHECK(r.error().kind() == limit_kind::deadline);
    in_time = clock::now() - before < 10s;
    break;
  }
  CHECK(runs < 10'000);
  CHECK(in_time);
  auto const later = request.run([] {});
  REQUIRE_FALSE(later);
  CHECK_FALSE(later.error().started());

  // The earlier one counts.
  auto const far = clock::now() + 24h;
  CHECK(run_limited({.time = 24h, .deadline = far}, [] { churn(20_kw); }));
  CHECK_FALSE(run_limited({.time = 0ns, .deadline = far}, [] {}));
  CHECK_FALSE(run_limited({.time = 24h, .deadline = clock::now() - 1s}, [] {}));
  CHECK(run_limited({.deadline = clock::time_point::max()}, [] { churn(20_kw); }));
  CHECK_FALSE(run_limited({.deadline = clock::time_point::min()}, [] {}));
}

TEST_CASE("a busy task is stopped soon after its time, not before", "[limits][deadline]") {
  with_seed fixture(2);
  auto const start = clock::now();
  auto const r = limit_time(20ms, [] {
    for (;;) churn(1_kw);
  });
  auto const took = clock::now() - start;
  REQUIRE_FALSE(r);
  CHECK(r.error().kind() == limit_kind::deadline);
  CHECK(r.error().limit() == bytes{0});
  CHECK(r.error().deliveries() == 1);
  CHECK(took >= 20ms);
  CHECK(took < 10s);
}

TEST_CASE("E7: after the deadline within 1 kw, at a scope's first allocation at once",
          "[limits][deadline]") {
  with_seed fixture(3);
  words at_first{};
  auto const first = limit_time(3ms, [&] {
    std::this_thread::sleep_for(4ms);
    churn_until(20_kw, at_first);
  });
  CHECK_FALSE(first);
  CHECK(at_first == 0_w);

  words later{};
  auto const then = limit_time(50ms, [&] {
    churn(100_w);
    std::this_thread::sleep_for(60ms);
    churn_until(20_kw, later);
  });
  CHECK_FALSE(then);
  CHECK(later <= 1_kw);
}

TEST_CASE("E5 mended: an idle task is stopped at a cancellation_point only", "[limits][deadline]") {
  with_seed fixture(4);
  CHECK(limit_time(1ms, [] { std::this_thread::sleep_for(5ms); }));
  auto const start = clock::now();
  auto const r = limit_time(5ms, [] {
    for (;;) cancellation_point();
  });
  CHECK_FALSE(r);
  CHECK(clock::now() - start >= 5ms);
}

TEST_CASE("deadlines nest: the earlier one binds", "[limits][deadline]") {
  with_seed fixture(5);
  std::optional<bool> inner_error;
  auto const outer = limit_time(24h, [&] {
    inner_error = !limit_time(5ms, [] {
                     for (;;) churn(1_kw);
                   }).has_value();
    churn(50_kw);
  });
  CHECK(outer);
  CHECK(inner_error == true);

  bool inner_returned = false;
  auto const outer_first = limit_time(5ms, [&] {
    static_cast<void>(limit_time(24h, [] {
      for (;;) churn(1_kw);
    }));
    inner_returned = true;
  });
  CHECK_FALSE(outer_first);
  CHECK_FALSE(inner_returned);  // B10
}

TEST_CASE("the longest time there is does not overflow", "[limits][deadline]") {
  with_seed fixture(6);
  CHECK(limit_time(std::chrono::nanoseconds::max(), [] {
          churn(20_kw);
          cancellation_point();
          return is_interrupted() ? 1 : 0;
        }).value() == 0);
}

TEST_CASE("the limit that fired first is named", "[limits][deadline]") {
  exactly fixture;
  token stop;
  limits const l{.allocations = 10_kw, .token = stop, .time = 24h};
  auto const by_amount = run_limited(l, [] { churn(50_kw); });
  REQUIRE_FALSE(by_amount);
  CHECK(by_amount.error().kind() == limit_kind::allocations);
  auto const by_time = run_limited({.allocations = max_allocation_limit, .time = 3ms}, [] {
    for (;;) churn(1_kw);
  });
  REQUIRE_FALSE(by_time);
  CHECK(by_time.error().kind() == limit_kind::deadline);
  auto const by_token = run_limited(l, [&] {
    churn(1_kw);
    stop.set("enough");
    try {
      churn(5_kw);
    } catch (limit_exceeded const&) {
    }
    masked_scope const mask;
    churn(50_kw);  // the amount is reached as well, but later
  });
  REQUIRE_FALSE(by_token);
  CHECK(by_token.error().kind() == limit_kind::token);
}

}  // namespace
}  // namespace memprof::test
