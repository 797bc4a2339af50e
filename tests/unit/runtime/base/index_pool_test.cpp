// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "base/base.hpp"
#include "support/catch2.hpp"

using memprof::base::index_pool;

namespace {

struct record {
  std::atomic<int> users{0};
  int payload = 0;  // plain: the thread sanitizer sees whether hand-over is ordered
};

index_pool<record> shared_pool;

}  // namespace

TEST_CASE("index_pool: indices are distinct, never 0, and recycled last in, first out") {
  static index_pool<record> pool;
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 5'000; ++i) {
    const std::uint32_t index = pool.acquire();
    CHECK(index != 0);
    CHECK(seen.insert(index).second);
  }
  const std::uint32_t last = *seen.begin();
  pool[last].payload = 42;
  pool.release(last);
  CHECK(pool.acquire() == last);
  CHECK(pool[last].payload == 42);
}

TEST_CASE("index_pool: threads never hold the same record") {
  std::atomic<int> shared_records{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      std::array<std::uint32_t, 8> mine{};
      for (int round = 0; round < 20'000; ++round) {
        std::uint32_t& index = mine[static_cast<std::size_t>(round) % mine.size()];
        if (index != 0) {
          --shared_pool[index].users;
          shared_pool.release(index);
        }
        index = shared_pool.acquire();
        if (shared_pool[index].users.fetch_add(1) != 0) ++shared_records;
        ++shared_pool[index].payload;
      }
    });
  }
  threads.clear();
  CHECK(shared_records == 0);
}
