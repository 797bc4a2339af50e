// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "support/catch2.hpp"

using namespace memprof::engine;

namespace {

void const* key(std::uintptr_t n) { return reinterpret_cast<void const*>(n); }

}  // namespace

TEST_CASE("address_index: any address, once in, once out") {
  for (std::uint32_t i = 1; i <= 10'000; ++i) CHECK(insert_address(key(i * 24 + 1), i));
  CHECK(take_address(key(3)) == 0);
  for (std::uint32_t i = 10'000; i >= 1; --i) {
    CHECK(take_address(key(i * 24 + 1)) == i);
    CHECK(take_address(key(i * 24 + 1)) == 0);
  }
}

// Own entries are always found and foreign ones never, while other threads change the same chains:
// few buckets' worth of keys, so that records are recycled from chain to chain all the time.
TEST_CASE("address_index: a thread finds its own entries under the others' changes") {
  std::atomic<int> lost{0};
  std::atomic<int> ghosts{0};
  std::vector<std::jthread> threads;
  for (std::uintptr_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint32_t round = 1; round <= 20'000; ++round) {
        const std::uintptr_t base = (t << 32) + (round % 64) * 8 + 8;
        insert_address(key(base), round);
        if (take_address(key(base + (std::uintptr_t{9} << 40))) != 0) ++ghosts;
        if (take_address(key(base)) != round) ++lost;
      }
    });
  }
  threads.clear();
  CHECK(lost == 0);
  CHECK(ghosts == 0);
}
