// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <ranges>
#include <set>
#include <sys/mman.h>
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

index_pool<record> kept_pool;
index_pool<record, 4, memprof::base::pool_memory::returned> returning_pool;

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

TEMPLATE_TEST_CASE_SIG("index_pool: threads never hold the same record", "",
                       ((bool returns), returns), false, true) {
  auto& shared_pool = [&]() -> auto& {
    if constexpr (returns) {
      return returning_pool;
    } else {
      return kept_pool;
    }
  }
  ();
  std::atomic<int> shared_records{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      std::array<std::uint32_t, 300> mine{};  // chunks become empty, and are used again
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

TEST_CASE("index_pool: the pages of empty chunks go back, and come again as zeros") {
  struct large {
    std::array<char, 256> bytes{};
  };
  static index_pool<large, 10, memprof::base::pool_memory::returned> pool;
  constexpr std::size_t count = 100'000;  // 25 MB
  std::vector<std::uint32_t> all(count);
  std::vector<std::uintptr_t> pages;
  for (auto& index : all) {
    index = pool.acquire();
    REQUIRE(index != 0);
    pool[index].bytes.fill('x');
    const auto page = reinterpret_cast<std::uintptr_t>(&pool[index]) & ~std::uintptr_t{4095};
    if (pages.empty() || pages.back() != page) pages.push_back(page);
  }
  const auto resident = [&] {
    return std::ranges::count_if(pages, [](std::uintptr_t page) {
      unsigned char state = 0;
      CHECK(mincore(reinterpret_cast<void*>(page), 4096, &state) == 0);
      return (state & 1) != 0;
    });
  };
  CHECK(resident() > 6000);
  const std::uint32_t kept = all[count / 2];
  for (const std::uint32_t index : all) {
    if (index != kept) pool.release(index);
  }
  // Eight empty chunks of 64 pages, that of the record in use, and the one that is not full.
  CHECK(resident() <= 10 * 64);
  CHECK(pool[kept].bytes[255] == 'x');
  std::set<std::uint32_t> seen{kept};
  for (auto& index : all) {
    if (index == kept) continue;
    index = pool.acquire();
    REQUIRE(seen.insert(index).second);
    const char first = pool[index].bytes[0];
    REQUIRE((first == 0 || first == 'x'));
  }
  CHECK(pool.highest() == count);
}

TEST_CASE("index_pool: the chunk that is not full stays, however long it is empty") {
  struct large {
    std::array<char, 256> bytes{};
  };
  static index_pool<large, 10, memprof::base::pool_memory::returned> pool;
  std::vector<std::uint32_t> all(12 * 1024);
  for (auto& index : all) {
    index = pool.acquire();
    REQUIRE(index != 0);
    pool[index].bytes.fill('x');
  }
  for (const std::uint32_t index : all | std::views::reverse) pool.release(index);
  const auto is_resident = [](std::uint32_t index) {
    const auto page = reinterpret_cast<std::uintptr_t>(&pool[index]) & ~std::uintptr_t{4095};
    unsigned char state = 0;
    CHECK(mincore(reinterpret_cast<void*>(page), 4096, &state) == 0);
    return (state & 1) != 0;
  };
  CHECK(is_resident(all.back()));  // alone in chunk 12, and released first
  for (const std::size_t chunk : {11u, 10u, 9u, 8u}) CHECK_FALSE(is_resident(all[chunk * 1024]));
  for (const std::size_t chunk : {7u, 4u, 1u, 0u}) CHECK(is_resident(all[chunk * 1024]));
}
