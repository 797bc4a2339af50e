// SPDX-License-Identifier: MIT
//
// Standard coroutines under a budget (memprof/coroutine.hpp), without a library.
#include "memprof/coroutine.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "memprof/memprof.hpp"

#include "coroutines/two_threads.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"
#include "support/sanitized.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using namespace std::chrono_literals;

/// A coroutine that somebody else resumes; `ended` counts when it has.
struct job {
  struct promise_type : under_current_budget {
    std::atomic<int>* ended = nullptr;
    std::exception_ptr failure;
    std::coroutine_handle<> continuation = std::noop_coroutine();

    job get_return_object() {
      return job{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct awaiter {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
          std::coroutine_handle<> const next = h.promise().continuation;
          if (h.promise().ended != nullptr) ++*h.promise().ended;
          return next;
        }
        void await_resume() noexcept {}
      };
      return awaiter{};
    }
    void unhandled_exception() noexcept { failure = std::current_exception(); }
    void return_void() noexcept {}
  };
  explicit job(std::coroutine_handle<promise_type> h) : frame(h) {}
  job(job&& other) noexcept : frame(std::exchange(other.frame, nullptr)) {}
  ~job() {
    if (frame) frame.destroy();
  }

  // Awaited by another job.
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> by) const noexcept {
    frame.promise().continuation = by;
    return frame;
  }
  void await_resume() const {
    if (frame.promise().failure) std::rethrow_exception(frame.promise().failure);
  }

  std::coroutine_handle<promise_type> frame;
};

/// `parts` times: allocates `each`, and goes on on the other thread.
job hop_and_allocate(two_threads& threads, std::size_t first, int parts, words each) {
  for (int i = 0; i < parts; ++i) {
    churn(each);
    co_await threads.hop((first + static_cast<std::size_t>(i)) % 2);
  }
  churn(each);
}

/// Masked, because a deadline may have passed already where others use the machine.
job made_under(budget const& b, auto const& make) {
  std::optional<job> made;
  b.handle().resume([&] {
    masked_scope const mask;
    made.emplace(make());
  });
  return *std::move(made);
}

void wait_until(std::atomic<int> const& count, int n) {
  while (count < n) std::this_thread::yield();
}

TEST_CASE("two coroutines that interleave on two threads are each charged exactly",
          "[coroutines]") {
  exactly fixture;
  constexpr int parts = 400;
  std::array<words, 2> const each{24_w, 1000_w};
  std::array<budget, 2> budgets{budget({.allocations = 100_Mw}), budget({.memory = 100_Mw})};
  two_threads threads;
  std::atomic<int> ended = 0;
  std::array<std::optional<job>, 2> jobs;
  std::array<bytes, 2> before{};
  for (std::size_t i = 0; i < 2; ++i) {
    jobs[i].emplace(
        made_under(budgets[i], [&] { return hop_and_allocate(threads, i, parts, each[i]); }));
    jobs[i]->frame.promise().ended = &ended;
    before[i] = budgets[i].allocated();  // its frame
  }
  for (std::size_t i = 0; i < 2; ++i) {
    budgets[i].handle().resume([&] { jobs[i]->frame.resume(); });
  }
  wait_until(ended, 2);
  threads.join();
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK_FALSE(jobs[i]->frame.promise().failure);
    CHECK(budgets[i].allocated() - before[i] == bytes{each[i] * (parts + 1)});
    CHECK_FALSE(budgets[i].interruption().has_value());
  }
}

TEST_CASE("a coroutine that hops is interrupted when its parts together reach the limit",
          "[coroutines]") {
  exactly fixture;
  budget account({.allocations = 10_kw, .count = counting::exact});
  two_threads threads;
  std::atomic<int> ended = 0;
  job j = made_under(account, [&] { return hop_and_allocate(threads, 0, 1000, 400_w); });
  j.frame.promise().ended = &ended;
  account.handle().resume([&] { j.frame.resume(); });
  wait_until(ended, 1);
  threads.join();
  CHECK_THROWS_AS(std::rethrow_exception(j.frame.promise().failure), limit_exceeded);
  REQUIRE(account.interruption().has_value());
  CHECK(account.interruption()->kind() == limit_kind::allocations);
  CHECK(account.interruption()->deliveries() == 1);
  CHECK(account.allocated() <= bytes{10_kw + small_words});
}

/// Allocates a little in each part, for ever.
job hop_for_ever(two_threads& threads) {
  for (std::size_t i = 0;; ++i) {
    co_await threads.hop(i % 2);
    std::this_thread::sleep_for(100us);
    churn(1500_w);
  }
}

TEST_CASE("a budget has one deadline, however many hops", "[coroutines]") {
  exactly fixture;
  auto const start = std::chrono::steady_clock::now();
  auto const wait = GENERATE(0ms, 60ms);
  budget account({.deadline = start + wait});
  two_threads threads;
  std::atomic<int> ended = 0;
  job j = made_under(account, [&] { return hop_for_ever(threads); });
  j.frame.promise().ended = &ended;
  account.handle().resume([&] { j.frame.resume(); });
  wait_until(ended, 1);
  threads.join();
  CHECK(std::chrono::steady_clock::now() - start >= wait);
  REQUIRE(account.interruption().has_value());
  CHECK(account.interruption()->kind() == limit_kind::deadline);
}

TEST_CASE("a token that was set before stops a coroutine, which is resumed all the same",
          "[coroutines]") {
  exactly fixture;
  token stop;
  budget account({.token = stop});
  two_threads threads;
  std::atomic<int> ended = 0;
  job j = made_under(account, [&] { return hop_for_ever(threads); });
  j.frame.promise().ended = &ended;
  stop.set("enough");
  account.handle().resume([&] { j.frame.resume(); });
  wait_until(ended, 1);
  threads.join();
  REQUIRE(account.interruption().has_value());
  CHECK(account.interruption()->kind() == limit_kind::token);
}

job child(int& sum) {
  ++sum;
  co_return;
}
job parent(int& sum, int n) {
  for (int i = 0; i < n; ++i) co_await child(sum);
}

TEST_CASE("coroutines that await each other do not grow the stack", "[coroutines]") {
  budget account({.allocations = 100_GiB});
#ifdef __OPTIMIZE__
  constexpr int n = MEMPROF_SANITIZED ? 100 : 200'000;  // 16 MB even at 80 bytes each
#else
  constexpr int n = 100;  // g++ then has no tail calls between coroutines
#endif
  int sum = 0;
  std::atomic<int> ended = 0;
  job j = made_under(account, [&] { return parent(sum, n); });
  j.frame.promise().ended = &ended;
  account.handle().resume([&] { j.frame.resume(); });
  CHECK(ended == 1);
  CHECK(sum == n);
}

TEST_CASE("a coroutine that waits may be destroyed", "[coroutines]") {
  exactly fixture;
  struct never {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept {}
  };
  bytes const before = live_memory().value;
  {
    budget account({.allocations = 1_Mw});
    auto const waits = []() -> job { co_await never{}; };
    job j = made_under(account, waits);
    account.handle().resume([&] { j.frame.resume(); });
    CHECK_FALSE(j.frame.done());
  }
  CHECK(live_memory().value == before);
}

TEST_CASE("current_budget: the innermost, in a run only", "[coroutines]") {
  CHECK_FALSE(current_budget());
  budget outer({.allocations = 1_Mw});
  budget inner({.memory = 1_Mw});
  bool first = false, second = false, third = false;
  CHECK(outer.run([&] {
    first = current_budget() == outer.handle();
    static_cast<void>(inner.run([&] {
      static_cast<void>(limit_time(1h, [&] { second = current_budget() == inner.handle(); }));
    }));
    third = current_budget() == outer.handle();
  }));
  CHECK(first);
  CHECK(second);
  CHECK(third);
  CHECK_FALSE(current_budget());
}

TEST_CASE("budget_handle::resume: what leaves a part that was not interrupted goes on",
          "[coroutines]") {
  exactly fixture;
  budget account({.allocations = 10_kw, .count = counting::exact});
  CHECK_THROWS_AS(account.handle().resume([] { throw 1; }), int);
  account.handle().resume([] { churn(100_kw); });  // interrupted
  REQUIRE(account.interruption().has_value());
  CHECK(account.interruption()->exception() != nullptr);
  // Later parts may end what is left to end: 10 kw of grace.
  bool ended = false;
  account.handle().resume([&] {
    churn(9_kw);
    ended = true;
  });
  CHECK(ended);
  ended = false;
  account.handle().resume([&] {
    churn(20_kw);
    ended = true;
  });
  CHECK_FALSE(ended);
  budget_handle const empty;
  empty.resume([&] { ended = true; });
  CHECK(ended);
  CHECK_FALSE(empty.interruption().has_value());
}

TEST_CASE("a handle outlives its budget", "[coroutines]") {
  budget_handle handle;
  {
    budget account({.allocations = 1_Mw});
    handle = account.handle();
  }
  bool called = false;
  handle.resume([&] { called = true; });
  CHECK(called);
}

}  // namespace
}  // namespace memprof::test
