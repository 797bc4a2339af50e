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
        auto* mine = counters.open();
        for (int i = 0; i < turns; ++i) {
          add_alone{}(mine->a, 3);
          add_alone{}(mine->b, -(std::int64_t{1} << 40));
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
