// SPDX-License-Identifier: MIT
#include "delivery/decide/unsafe_functions.hpp"

#include <atomic>
#include <string>
#include <thread>

#include "support/catch2.hpp"

using namespace memprof::delivery;

// A pattern counts when it is whole: ThreadSanitizer watches.
TEST_CASE("unsafe_functions: patterns are added while other threads ask") {
  std::atomic<bool> stop = false;
  std::atomic<bool> wrong = false;
  std::thread asking([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      if (is_unsafe_function("_ZN4race5otherEv")) wrong = true;
    }
  });
  for (int i = 10; i < 30; ++i) {
    add_function_pattern("race::function" + std::to_string(i), true);
    CHECK(is_unsafe_function("_ZN4race10function" + std::to_string(i) + "Ev"));
    std::this_thread::yield();
  }
  stop = true;
  asking.join();
  CHECK_FALSE(wrong);
}
