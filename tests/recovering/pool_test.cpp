// SPDX-License-Identifier: MIT
//
// docs/recovering.md: thread pools, and the sweep over all allocations.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "recovering/exactly.hpp"
#include "support/catch2.hpp"

namespace recovering {
namespace {

using namespace memprof::literals;

// [cache]
class page_cache {
 public:
  std::string page(int number) {
    auto pages = pages_.lock_or_repair([](auto& bad) { bad.clear(); });  // it is only a cache
    std::string& text = (*pages)[number];
    if (text.empty()) {
      for (int line = 0; line < 20; ++line) text.append(100, 'p');  // half a page if interrupted
    }
    return text;
  }

 private:
  memprof::poisonable<std::map<int, std::string>> pages_;
};
// [/cache]

TEST_CASE("a pool: limits in the jobs, poisonable between them", "[recovering]") {
  std::atomic<int> answered{0};
  std::atomic<int> refused{0};
  std::atomic<int> wrong{0};
  // [pool]
  page_cache cache;
  std::atomic<int> next_job{0};
  auto const work = [&] {
    for (int job = next_job++; job < 2000; job = next_job++) {
      auto const limit = job % 3 == 0 ? 100_KiB : 3_KiB;  // too little to make a page
      auto page = exactly(limit, [&] { return cache.page(job % 50); });
      if (!page) {
        ++refused;  // this job only; the worker and the cache go on
      } else if (page->value.size() == 2000) {
        ++answered;
      } else {
        ++wrong;
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    for (int i = 0; i < 4; ++i) pool.emplace_back(work);
  }
  CHECK(wrong == 0);
  // [/pool]
  CHECK(answered + refused == 2000);
  CHECK(answered > 0);
  CHECK(refused > 0);
}

TEST_CASE("threads of a task are under no limit, unless they share a budget", "[recovering]") {
  // [threads]
  auto const runaway = [] {
    std::vector<std::string> text;
    for (int i = 0; i < 1000; ++i) text.emplace_back(10'000, 'x');
  };
  auto alone = memprof::limit_allocations(1_MiB, [&] { std::jthread{runaway}; });
  CHECK(alone);  // 10 MB, by a thread that the limit does not see

  memprof::budget shared({.allocations = 1_MiB});
  std::atomic<int> interrupted{0};
  {
    std::vector<std::jthread> team;
    for (int i = 0; i < 4; ++i) {
      team.emplace_back([&] { interrupted += !shared.run(runaway); });
    }
  }
  CHECK(interrupted == 4);
  // [/threads]
}

TEST_CASE("every allocation of a scenario is interrupted once", "[recovering]") {
  // [sweep]
  bool finished = false;
  for (std::int64_t limit = 0; !finished; ++limit) {
    page_cache cache;
    finished = exactly(memprof::words{limit}, [&] {
                 for (int number = 0; number < 5; ++number) cache.page(number);
               }).has_value();
    for (int number = 0; number < 5; ++number) {
      REQUIRE(cache.page(number).size() == 2000);
    }
  }
  // [/sweep]
}

}  // namespace
}  // namespace recovering
