// SPDX-License-Identifier: MIT
//
// Tasks that go on although their limit was hit, as another thread sees them. The clock is real:
// checks hold on a busy machine, too.
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"
#include "support/sanitized.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

/// Waits for a condition that must come true; a minute is for ever.
template <class Condition>
bool comes_true(Condition&& condition) {
  const auto end = clock::now() + 60s;
  while (clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

template <class F>
auto seen_from_outside(F&& f) {
  decltype(f()) seen;
  std::thread([&] { seen = f(); }).join();
  return seen;
}

TEST_CASE("overdue: a task that passed its deadline and allocates nothing", "[limits][overdue]") {
  with_seed fixture(1);
  std::vector<overdue_task> early;
  std::vector<overdue_task> found;
  auto const r = limit_time(200ms, [&] {
    masked_scope const mask;  // nothing here could stop it
    churn(10_w);              // the first allocation looks at the clock, the next ones do not
    early = overdue_tasks({.late = 1h});
    std::this_thread::sleep_for(210ms);
    found = seen_from_outside([] { return overdue_tasks({.late = 5ms}); });
  });
  CHECK(r);  // it swallowed nothing, and nobody looked at its deadline
  CHECK(early.empty());
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == limit_kind::deadline);
  CHECK(found[0].late >= 10ms);
  CHECK(found[0].beyond == 0_B);
  CHECK(found[0].thread == gettid());
  CHECK(found[0].last_deferral == nullptr);
  CHECK(overdue_tasks().empty());
}

TEST_CASE("overdue: by its amount, with the reason and the place of the last deferral",
          "[limits][overdue]") {
  exactly fixture;
  std::vector<overdue_task> less;
  std::vector<overdue_task> found;
  auto const r = run_limited({.allocations = 10_kw}, [&]() noexcept {
    churn(100_kw);
    found = seen_from_outside([] { return overdue_tasks({.late = 1h, .beyond = 80_kw}); });
    less = seen_from_outside([] { return overdue_tasks({.late = 1h, .beyond = 100_kw}); });
  });
  REQUIRE_FALSE(r);
  CHECK(less.empty());
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == limit_kind::allocations);
  CHECK(found[0].beyond > 80_kw);
  CHECK(found[0].beyond <= 91_kw);
  CHECK(found[0].deliveries == 0);
  CHECK(found[0].deferrals == r.error().deferrals());
  CHECK(std::strstr(found[0].last_deferral, "noexcept") != nullptr);
  CHECK(found[0].last_place != nullptr);
  CHECK(overdue_tasks().empty());
}

TEST_CASE("overdue: two limits, and the outer one goes on", "[limits][overdue]") {
  exactly fixture;
  std::size_t both = 0;
  std::size_t outer = 0;
  token stop;
  static_cast<void>(limit_with_token(stop, [&]() noexcept {
    auto const inner = run_limited({.allocations = 1_kw}, [&] {
      masked_scope const mask;
      stop.set("enough");
      churn(100_kw);
      both = overdue_tasks().size();
    });
    CHECK_FALSE(inner);
    masked_scope const mask;
    outer = overdue_tasks().size();
  }));
  CHECK(both == 2);
  CHECK(outer == 1);
  CHECK(overdue_tasks().empty());
}

TEST_CASE("overdue: tasks that begin and end while others look at them", "[limits][overdue]") {
  with_seed fixture(1);
  std::atomic<bool> done{false};
  std::atomic<std::int64_t> ids[2]{};
  std::vector<std::thread> threads;
  for (auto& id : ids) {
    threads.emplace_back([&id, &done] {
      id = gettid();
      // Outside and inside take turns on two places, so that what is read may be of another task.
      while (!done) {
        static_cast<void>(limit_time(1us, [&] {
          static_cast<void>(limit_time(1ns, [] { std::this_thread::sleep_for(5us); }));
        }));
      }
    });
  }
  bool whole = true;
  std::size_t seen = 0;
  comes_true([&] {
    for (int i = 0; i < 1000; ++i) {
      auto const found = overdue_tasks();
      seen += found.size();
      for (overdue_task const& t : found) {
        whole &= t.kind == limit_kind::deadline && t.beyond == 0_B && t.deferrals == 0 &&
                 (t.thread == ids[0] || t.thread == ids[1]);
        for (overdue_task const& other : found) whole &= &t == &other || t.number != other.number;
      }
    }
    return seen > 1000;
  });
  done = true;
  for (auto& t : threads) t.join();
  CHECK(whole);
  CHECK(seen > 1000);
  CHECK(overdue_tasks().empty());
}

TEST_CASE("overdue_watch calls once for each task, from a thread of its own", "[limits][overdue]") {
  with_seed fixture(1);
  std::mutex mutex;
  std::vector<overdue_task> calls;
  std::atomic<std::size_t> n{0};
  std::thread::id caller;
  {
    overdue_watch const watch({.late = 1ms, .interval = 1ms}, [&](overdue_task const& task) {
      std::string const allocates(1000, 'x');
      std::lock_guard const lock{mutex};
      calls.push_back(task);
      caller = std::this_thread::get_id();
      ++n;
    });
    for (std::size_t i = 1; i <= 3; ++i) {
      bool called = false;
      static_cast<void>(limit_time(1ms, [&] {
        masked_scope const mask;
        called = comes_true([&] { return n == i; });
        std::this_thread::sleep_for(20ms);
      }));
      CHECK(called);
    }
  }
  CHECK(calls.size() == 3);
  CHECK(calls[0].number != calls[1].number);
  CHECK(caller != std::this_thread::get_id());
}

#if !MEMPROF_THREAD_SANITIZED  // whose runtime fails in a child that detaches a thread
TEST_CASE("overdue: what other threads did is nothing in a forked child", "[limits][overdue]") {
  with_seed fixture(1);
  std::optional<overdue_watch> watch;
  watch.emplace(overdue_policy{}, [](overdue_task const&) {});
  std::atomic<bool> forked{false};
  std::atomic<bool> in_task{false};
  std::thread other([&] {
    static_cast<void>(limit_time(1ms, [&] {
      in_task = true;
      while (!forked) std::this_thread::sleep_for(1ms);
    }));
  });
  bool overdue = false;
  int status = -1;
  static_cast<void>(limit_time(1ms, [&] {
    masked_scope const mask;
    overdue = comes_true([&] { return in_task && overdue_tasks().size() == 2; });
    pid_t const child = fork();
    if (child == 0) {
      watch.reset();
      auto const own = overdue_tasks();
      _exit(own.size() == 1 && own[0].thread == gettid() ? 0 : 1);
    }
    waitpid(child, &status, 0);
  }));
  forked = true;
  other.join();
  CHECK(overdue);
  CHECK(status == 0);
  CHECK(overdue_tasks().empty());
}

#endif

}  // namespace
}  // namespace memprof::test
