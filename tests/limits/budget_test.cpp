// SPDX-License-Identifier: MIT
//
// budget: one account for several threads.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using namespace std::chrono_literals;

/// Each of four threads allocates in a run of `account` until it is interrupted.
struct race {
  std::array<words, 4> granted{};
  std::array<std::optional<limit_kind>, 4> error{};

  explicit race(budget& account) {
    in_threads(4, [&](std::size_t i) {
      words mine{};
      auto const r = account.run([&] { churn_until(100_Mw, mine); });
      granted[i] = mine;
      if (!r) error[i] = r.error().kind();
    });
  }
  [[nodiscard]] words total() const {
    words sum{};
    for (words w : granted) sum += w;
    return sum;
  }
};

TEST_CASE("a budget counts as one interrupted task, however many runs of it are",
          "[limits][budget]") {
  exactly fixture;
  auto const before = counters();
  budget request({.allocations = 10_kw});
  for (int run = 0; run < 3; ++run) CHECK_FALSE(request.run([] { churn(20_kw); }));
  CHECK(run_limited({.allocations = 100_kw}, [] { churn(20_kw); }));
  CHECK_FALSE(run_limited({.allocations = 10_kw}, []() noexcept { churn(20_kw); }));
  auto const after = counters();
  constexpr auto kind = limit_kind::allocations;
  CHECK(after.interrupted_tasks[kind] == before.interrupted_tasks[kind] + 2);
  CHECK(after.interrupted_tasks[limit_kind::memory] ==
        before.interrupted_tasks[limit_kind::memory]);
}

TEST_CASE("an allocation budget is shared to the word, exact or at rate 1", "[limits][budget]") {
  exactly fixture;
  for (auto count : {counting::exact, counting::sampled}) {
    budget account({.allocations = 300_kw, .count = count});
    race const r(account);
    for (auto e : r.error) CHECK(e == limit_kind::allocations);
    // Reaching it is allowed if counted exactly; sample number `limit` interrupts if sampled. A
    // block that still had room is refused, too, if another thread has hit the limit in between.
    words const most = count == counting::exact ? 300_kw : 300_kw - small_words;
    CHECK(r.total() <= most);
    CHECK(r.total() >= most - 3 * small_words);
    CHECK(account.allocated() == bytes{r.total()});
  }
}

// Of each thread only the words since its latest event are not in the account, 1000 at most; and
// one alone is stopped at the word.
TEST_CASE("an exact budget at the default rate: never early, late by 1000 words a thread",
          "[limits][budget]") {
  with_seed fixture(17);
  for (int i = 0; i < 20; ++i) {
    budget account({.allocations = 300_kw, .count = counting::exact});
    race const r(account);
    for (auto e : r.error) CHECK(e == limit_kind::allocations);
    // A refused block of each thread is not in it.
    CHECK(r.total() + 4 * small_words > 300_kw);
    CHECK(r.total() < 303_kw + small_words);
    CHECK(account.allocated() == bytes{r.total()});
    words later{};
    CHECK_FALSE(account.run([&] { churn_until(1_kw, later); }));
    CHECK(later == 0_w);
  }
  budget one({.allocations = 300_kw, .count = counting::exact});
  words granted{};
  CHECK_FALSE(one.run([&] { churn_until(100_Mw, granted); }));
  CHECK(granted == 300_kw);
  CHECK(one.allocated() == bytes{300_kw});
}

// k = 100. Less than 408 067 words once in 2.5e14; 1 966 516 words without it once in 1e14, and
// each thread notices at most 1000 words after the one that exhausted the account.
TEST_CASE("a sampled budget at the default rate keeps the published bounds", "[limits][budget]") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    with_seed fixture(seed);
    budget account({.allocations = 1_Mw});
    race const r(account);
    for (auto e : r.error) CHECK(e == limit_kind::allocations);
    CHECK(r.total() > 408'000_w);
    CHECK(r.total() < 1'966'516_w + 4 * (1_kw + 2 * small_words));
    CHECK(account.allocated() == bytes{r.total()});
    // Exhausted for good, without waiting for the next sample.
    words later{};
    CHECK_FALSE(account.run([&] { churn_until(1_kw, later); }));
    CHECK(later == 0_w);
  }
}

TEST_CASE("used-up allocations stay used up", "[limits][budget]") {
  exactly fixture;
  budget account({.allocations = 10_kw, .count = counting::exact});
  auto const first = account.run([] {
    churn(6_kw);
    return 1;
  });
  REQUIRE(first);
  CHECK(first->allocated == bytes{6_kw});
  CHECK(account.allocated() == bytes{6_kw});
  words granted{};
  CHECK_FALSE(account.run([&] { churn_until(6_kw, granted); }));
  CHECK(granted == 4_kw);

  words later{};
  auto const exhausted = account.run([&] { churn_until(1_kw, later); });
  REQUIRE_FALSE(exhausted);
  CHECK(exhausted.error().kind() == limit_kind::allocations);
  CHECK(exhausted.error().deliveries() == 1);
  CHECK(later == 0_w);
  CHECK(in_thread([&] { return !account.run([] { churn(8_w); }).has_value(); }));
}

TEST_CASE("B2: the exception of a run that was not hit leaves unchanged", "[limits][budget]") {
  exactly fixture;
  budget account({.allocations = 10_kw});
  CHECK_THROWS_AS(account.run([] { throw std::domain_error("mine"); }), std::domain_error);
  CHECK(account.run([] { churn(1_kw); }));
}

TEST_CASE("a run within a run of the same budget is charged once", "[limits][budget]") {
  exactly fixture;
  budget account({.allocations = 100_kw, .memory = 100_kw});
  holder kept;
  auto const r = account.run([&] {
    auto const inner = account.run([&] { kept.fill(16_kw); });
    return inner.has_value();
  });
  REQUIRE(r);
  CHECK(r->value);
  CHECK(account.allocated() == bytes{16_kw});
  CHECK(account.live().value == bytes{16_kw});
}

TEST_CASE("a budget under a limit, and a limit under a budget: both are charged",
          "[limits][budget]") {
  exactly fixture;
  budget account({.allocations = 100_kw, .count = counting::exact});
  auto const outer = run_limited({.allocations = 5_kw, .count = counting::exact},
                                 [&] { static_cast<void>(account.run([] { churn(20_kw); })); });
  CHECK_FALSE(outer);
  CHECK(account.allocated() >= bytes{5_kw});
  CHECK(account.allocated() <= bytes{5_kw + small_words});
  auto const run = account.run([] {
    return run_limited({.allocations = 1_kw, .count = counting::exact}, [] { churn(5_kw); })
        .has_value();
  });
  REQUIRE(run);
  CHECK_FALSE(run->value);
  CHECK(account.allocated() >= bytes{6_kw});
}

TEST_CASE("time counts from the start of each run, a token stops all of them", "[limits][budget]") {
  with_seed fixture(9);
  budget timed({.time = 2s});
  for (int i = 0; i < 3; ++i) {
    CHECK(timed.run([] {
      std::this_thread::sleep_for(750ms);
      churn(2_kw);
    }));
  }

  token stop;
  budget stoppable({.token = stop});
  std::atomic<int> running = 0;
  std::atomic<int> errors = 0;
  std::thread setter([&] {
    while (running < 4) std::this_thread::yield();
    stop.set("budget");
  });
  in_threads(4, [&](std::size_t) {
    auto const r = stoppable.run([&] {
      ++running;
      for (;;) churn(1_kw);
    });
    if (!r && std::string(r.error().reason()) == "budget") ++errors;
  });
  setter.join();
  CHECK(errors == 4);
}

TEST_CASE("a budget without amounts only counts", "[limits][budget]") {
  exactly fixture;
  budget account(limits{});
  auto const r = account.run([] {
    churn(50_kw);
    return 1;
  });
  REQUIRE(r);
  CHECK(r->allocated == bytes{50_kw});
  CHECK(account.allocated() == bytes{50_kw});
}

}  // namespace
}  // namespace memprof::test
