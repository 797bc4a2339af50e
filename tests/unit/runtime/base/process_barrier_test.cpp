// SPDX-License-Identifier: MIT
#include "base/process_barrier.hpp"

#include <atomic>
#include <thread>

#include "support/catch2.hpp"

using namespace memprof;

// Both stores before both loads: without barriers that happens some times in a million on x86-64.
// With them, never.
TEST_CASE("process barrier: one of two sides sees the other") {
  base::open_process_barrier();
  std::atomic<int> mine{0}, closed{0}, round{0}, done{0};
  int seen_by_often = 0;
  constexpr int rounds = 2'000;
  std::thread often([&] {
    for (int i = 1; i <= rounds; ++i) {
      while (round.load(std::memory_order_acquire) < i) {
        std::this_thread::yield();
      }
      mine.store(i, std::memory_order_relaxed);
      base::light_barrier();
      seen_by_often = closed.load(std::memory_order_relaxed);
      done.store(i, std::memory_order_release);
    }
  });
  int missed = 0;
  for (int i = 1; i <= rounds; ++i) {
    round.store(i, std::memory_order_release);
    closed.store(i, std::memory_order_relaxed);
    base::heavy_barrier();
    const int seen = mine.load(std::memory_order_relaxed);
    while (done.load(std::memory_order_acquire) < i) std::this_thread::yield();
    if (seen != i && seen_by_often != i) ++missed;
  }
  often.join();
  CHECK(missed == 0);
}
