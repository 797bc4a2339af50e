// SPDX-License-Identifier: MIT
//
// Whom the global memory limit interrupts.
#include <atomic>
#include <chrono>
#include <cstddef>
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

constexpr std::size_t major_block = 65'536 - 8;

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
