// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include "base/base.hpp"
#include "support/catch2.hpp"

using namespace memprof::base;

namespace {

struct sums {
  std::atomic<std::int64_t> a{0};
  std::atomic<std::int64_t> b{0};
};

}  // namespace

TEST_CASE("thread_counters: what threads added is there when they have ended") {
  static thread_counters<sums> counters;
  constexpr int threads = 8;
  constexpr int turns = 10'000;
  for (int round = 0; round < 5; ++round) {
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
      all.emplace_back([] {
        auto mine = counters.open();
        for (int i = 0; i < turns; ++i) {
          add_alone{}(mine.sums->a, 3);
          add_alone{}(mine.sums->b, -(std::int64_t{1} << 40));
        }
        counters.close(mine);
        counters.close(mine);  // has none any more
      });
    }
    for (std::thread& t : all) t.join();
  }
  std::int64_t a = 0;
  std::int64_t b = 0;
  int count = 0;
  counters.each([&](sums const& s) {
    a += s.a;
    b += s.b;
    ++count;
  });
  CHECK(a == std::int64_t{3} * 5 * threads * turns);
  CHECK(b == -(std::int64_t{5} * threads * turns << 40));
  CHECK(count <= threads);  // those of ended threads are used again
}

TEST_CASE("spare_index: the last one released comes first, others go to the pool") {
  struct record {};
  static index_pool<record> pool;
  spare_index spare;
  const std::uint32_t first = spare.acquire(pool);
  const std::uint32_t second = spare.acquire(pool);
  CHECK(first != 0);
  CHECK(second != first);
  spare.release(pool, first, true);
  spare.release(pool, second, true);
  CHECK(spare.acquire(pool) == first);
  CHECK(spare.acquire(pool) == second);
  CHECK(pool.highest() == 2);
}

TEST_CASE("spare_index: a thread that is not told of its end keeps none; else it is given back") {
  struct record {};
  static index_pool<record> pool;
  spare_index spare;
  const std::uint32_t index = spare.acquire(pool);
  spare.release(pool, index, false);
  CHECK(pool.acquire() == index);
  spare.release(pool, index, true);
  CHECK(pool.acquire() != index);
  spare.give_back(pool);
  CHECK(pool.acquire() == index);
  spare.give_back(pool);
  CHECK(pool.highest() == 2);
}
