// SPDX-License-Identifier: MIT
#include "base/spin_lock.hpp"

#include <mutex>
#include <thread>
#include <vector>

#include "support/catch2.hpp"

using memprof::base::spin_lock;

TEST_CASE("spin_lock: one thread at a time") {
  static spin_lock lock;
  static long count = 0;
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t) {
    all.emplace_back([] {
      for (int i = 0; i < 20'000; ++i) {
        const std::lock_guard held{lock};
        ++count;
      }
    });
  }
  for (std::thread& t : all) t.join();
  CHECK(count == 80'000);
}

TEST_CASE("spin_lock: reset takes it back from a thread that is not there") {
  spin_lock lock;
  lock.lock();
  lock.reset();
  lock.lock();  // does not wait
  lock.unlock();
}
