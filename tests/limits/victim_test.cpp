// SPDX-License-Identifier: MIT
//
// Whom the global memory limit interrupts.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <thread>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using namespace std::chrono_literals;

/// A big task that keeps 8 Mw and waits, and a small one that grows until the process is over the
/// limit by no more than a block, or until the big one was interrupted.
struct two_tasks {
  std::optional<limit_kind> big_error;
  std::optional<limit_kind> small_error;

  two_tasks() {
    churn(nursery() + 10_kw, 4088);  // what Catch2 allocated is major after this
    bytes const limit = live_major_memory().value + 12_Mw;
    set_global_memory_limit(limit);
    std::atomic<int> step = 0;
    std::thread big([&] {
      auto const r = limit_global_memory([&] {
        holder heap;
        heap.fill(8_Mw, major_block);
        step = 1;
        while (step < 2) {
          cancellation_point();
          std::this_thread::yield();
        }
      });
      if (!r) big_error = r.error().kind();
      step = 3;
    });
    std::thread small([&] {
      while (step < 1) std::this_thread::yield();
      auto const r = limit_global_memory([&] {
        holder heap;
        while (step < 3 && live_major_memory().value + bytes{8192_w} <= limit) {
          heap.add(major_block);
        }
        // The one that crosses it. Then the big task has all the time it needs.
        if (step < 3) heap.add(major_block);
        for (int i = 0; i < 30'000 && step < 3; ++i) std::this_thread::sleep_for(1ms);
      });
      if (!r) small_error = r.error().kind();
      if (step < 2) step = 2;
    });
    big.join();
    small.join();
  }
};

TEST_CASE("victim::allocating, the default: the task that allocates is hit", "[limits][victim]") {
  exactly fixture;
  CHECK(global_memory_victim() == victim::allocating);
  two_tasks const run;
  CHECK(run.small_error == limit_kind::global_memory);
}

TEST_CASE("victim::largest: the task with the most live memory is hit, though another allocates",
          "[limits][victim]") {
  exactly fixture;
  set_global_memory_victim(victim::largest);
  set_global_memory_patience(1min);  // an emulated processor needs more than the usual second
  CHECK(global_memory_victim() == victim::largest);
  two_tasks const run;
  CHECK(run.big_error == limit_kind::global_memory);
  CHECK_FALSE(run.small_error.has_value());
}

TEST_CASE("victim::largest: a task alone is its own victim", "[limits][victim]") {
  exactly fixture;
  set_global_memory_victim(victim::largest);
  churn(nursery() + 10_kw, 4088);
  set_global_memory_limit(live_major_memory().value + 1_Mw);
  words held{};
  auto const r = limit_global_memory([&] {
    holder heap;
    for (;;) {
      heap.add(major_block);
      held = heap.held();
    }
  });
  REQUIRE_FALSE(r);
  CHECK(r.error().kind() == limit_kind::global_memory);
  CHECK(held <= 1_Mw + 125_kw);  // an eighth over the limit at most
}

/// A task that keeps `held` and, once it was told, looks at cancellation points or never does; and
/// the process's limit, with room for `room`.
class big_task {
 public:
  big_task(words held, words room, bool looks) {
    churn(nursery() + 10_kw, 4088);
    set_global_memory_victim(victim::largest);
    set_global_memory_limit(live_major_memory().value + held + room);
    thread_ = std::thread([this, held, looks] {
      auto const r = limit_global_memory([&] {
        holder heap;
        heap.fill(held, major_block);
        step_ = 1;
        while (step_ < 2) {
          std::this_thread::sleep_for(2ms);
          if (looks) cancellation_point();
        }
      });
      if (!r) error_ = r.error().kind();
    });
    while (step_ < 1) std::this_thread::yield();
  }
  ~big_task() { end(); }
  big_task(big_task const&) = delete;
  big_task& operator=(big_task const&) = delete;

  /// What interrupted it.
  std::optional<limit_kind> end() {
    step_ = 2;
    if (thread_.joinable()) thread_.join();
    return error_;
  }

 private:
  std::atomic<int> step_ = 0;
  std::optional<limit_kind> error_;
  std::thread thread_;
};

/// A task that asks for one block of 1 Mw, and frees it.
void ask_for_block() {
  constexpr std::size_t size = 8'000'000 - 8;
  release(allocate(size), size);
}

TEST_CASE("victim::largest: a request waits until the victim has made room", "[limits][victim]") {
  exactly fixture;
  big_task big(4_Mw, 500_kw, true);
  set_global_memory_patience(1min);
  bool waited = false;
  auto const r = limit_global_memory([&] {
    ask_for_block();
    waited = big.end() == limit_kind::global_memory;
  });
  CHECK(r);
  CHECK(waited);
}

TEST_CASE("victim::largest: the wait is bounded, and then the request is refused",
          "[limits][victim]") {
  exactly fixture;
  big_task big(4_Mw, 500_kw, false);
  set_global_memory_patience(60ms);
  CHECK(global_memory_patience() == 60ms);
  auto const start = std::chrono::steady_clock::now();
  auto const r = limit_global_memory(ask_for_block);
  CHECK(std::chrono::steady_clock::now() - start >= 60ms);
  REQUIRE_FALSE(r);
  CHECK(r.error().kind() == limit_kind::global_memory);
  CHECK(r.error().overshoot() == 0_B);  // it was not given
  CHECK_FALSE(big.end().has_value());   // it allocates nothing, and keeps its value
}

TEST_CASE("victim::largest: with no patience the task that asks is interrupted",
          "[limits][victim]") {
  exactly fixture;
  big_task big(4_Mw, 500_kw, true);
  set_global_memory_patience(0ms);
  CHECK_FALSE(limit_global_memory(ask_for_block));
  CHECK_THROWS_AS(set_global_memory_patience(-1ns), std::invalid_argument);
}

TEST_CASE("victim::largest: a deadline and a token end the wait", "[limits][victim]") {
  exactly fixture;
  big_task big(4_Mw, 500_kw, false);
  set_global_memory_patience(24h);
  auto const late =
      run_limited({.global_memory = true, .time = std::chrono::nanoseconds(50ms)}, ask_for_block);
  REQUIRE_FALSE(late);
  CHECK(late.error().kind() == limit_kind::deadline);
  token stop;
  std::thread setter([stop]() mutable {
    std::this_thread::sleep_for(50ms);
    stop.set();
  });
  auto const stopped = run_limited({.global_memory = true, .token = stop}, ask_for_block);
  setter.join();
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().kind() == limit_kind::token);
}

TEST_CASE("victim::largest: masked code does not wait", "[limits][victim]") {
  exactly fixture;
  big_task big(4_Mw, 500_kw, false);
  set_global_memory_patience(24h);
  bool served = false;
  CHECK(limit_global_memory([&] {
    masked_scope const mask;
    ask_for_block();
    served = true;
  }));
  CHECK(served);
}

TEST_CASE("victim::largest: what asks for no memory does not wait", "[limits][victim]") {
  exactly fixture;
  big_task big(4_Mw, 500_kw, false);
  set_global_memory_limit(live_major_memory().value - 1_Mw);
  set_global_memory_patience(20s);
  auto const start = std::chrono::steady_clock::now();
  CHECK(limit_global_memory([] {
    cancellation_point();
    static_cast<void>(is_interrupted());
  }));
  CHECK(std::chrono::steady_clock::now() - start < 10s);
  CHECK_FALSE(big.end().has_value());
}

TEST_CASE("victim::largest: the request counts for the task that asks", "[limits][victim]") {
  exactly fixture;
  big_task big(4_Mw, 500_kw, true);
  auto const r = limit_global_memory([] {
    constexpr std::size_t size = 40'000'000;  // 5 Mw
    release(allocate(size), size);
  });
  CHECK_FALSE(r);
  CHECK_FALSE(big.end().has_value());
}

TEST_CASE("victim::largest: all runs of a budget count together", "[limits][victim]") {
  exactly fixture;
  budget spread({.global_memory = true});
  holder kept;  // by a run that has ended
  REQUIRE(spread.run([&] { kept.fill(5_Mw, major_block); }));
  big_task big(4_Mw, 500_kw, true);
  std::atomic<bool> running = false;
  std::atomic<bool> done = false;
  std::optional<limit_kind> error;
  std::thread another_run([&] {
    auto const r = spread.run([&] {
      on_interrupt const release_all{[&]() noexcept { kept.clear(); }};
      running = true;
      while (!done) {
        std::this_thread::sleep_for(2ms);
        cancellation_point();
      }
    });
    if (!r) error = r.error().kind();
  });
  while (!running) std::this_thread::yield();
  bool const served = limit_global_memory(ask_for_block).has_value();
  done = true;
  another_run.join();
  CHECK(served);
  CHECK(error == limit_kind::global_memory);
  CHECK_FALSE(big.end().has_value());
}

TEST_CASE("victim::largest: if the largest does not stop, the next largest does",
          "[limits][victim]") {
  exactly fixture;
  set_global_memory_victim(victim::largest);
  churn(nursery() + 10_kw, 4088);
  bytes const before = live_major_memory().value;
  set_global_memory_limit(before + 4_Mw);
  std::atomic<int> step = 0;
  std::optional<bool> big_error;
  std::thread big([&] {
    big_error = !limit_global_memory([&] {
                   holder heap;
                   heap.fill(3_Mw, major_block);
                   step = 1;
                   while (step < 2) std::this_thread::yield();  // never looks
                 }).has_value();
  });
  while (step < 1) std::this_thread::yield();
  words held{};
  auto const small = limit_global_memory([&] {
    holder heap;
    for (;;) {
      heap.add(major_block);
      held = heap.held();
    }
  });
  step = 2;
  big.join();
  CHECK_FALSE(small);
  // Interrupted once memory had grown by an eighth of the limit over it; not long after.
  CHECK(held <= floor_to_words((before + 4_Mw) / 8) + 1_Mw + 20_kw);
  CHECK(big_error == false);  // C2: a task that allocates nothing keeps its value
}

}  // namespace
}  // namespace memprof::test
