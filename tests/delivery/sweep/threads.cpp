// SPDX-License-Identifier: MIT
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/require.hpp"
#include "support/situation.hpp"

namespace {

using memprof::test::in_boundary;
using memprof::test::require;

std::mutex mutex;

bool mutex_is_free() {
  bool const got = mutex.try_lock();
  if (got) mutex.unlock();
  return got;
}

MEMPROF_SITUATION(threads, either) {
  memprof::test::check_afterwards(mutex_is_free);
  std::vector<std::string> results;
  bool interrupted = false;
  {
    std::vector<std::jthread> threads;
    threads.reserve(3);
    for (int i = 0; i < 3; ++i) {
      // In its thread an interrupt needs a limit of its own.
      threads.emplace_back([&] {
        bool const here = in_boundary([&] {
          std::string text(100, 'x');
          std::lock_guard const lock(mutex);
          results.push_back(std::move(text));
        });
        std::lock_guard const lock(mutex);
        interrupted |= here;
      });
    }
  }
  require(results.size() == 3 || interrupted, "threads");
}

MEMPROF_SITUATION(futures, either) {
  std::promise<std::string> promise;
  auto future = promise.get_future();
  promise.set_value(std::string(100, 'x'));
  require(future.get().size() == 100, "promise");
  std::packaged_task<std::string(int)> task([](int n) { return std::string(std::size_t(n), 'y'); });
  auto result = task.get_future();
  task(200);
  require(result.get().size() == 200, "packaged task");
  auto lazy = std::async(std::launch::deferred, [] { return std::string(300, 'z'); });
  require(lazy.get().size() == 300, "deferred");
}

}  // namespace
