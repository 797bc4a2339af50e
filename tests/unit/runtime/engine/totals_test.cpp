// SPDX-License-Identifier: MIT
#include "engine/totals.hpp"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "support/catch2.hpp"

using namespace memprof::engine;

namespace {
std::int64_t heap() { return process_totals.major.weight.load() + process_totals.granted.load(); }
}  // namespace

TEST_CASE("totals: what is granted to one thread is not granted to another") {
  constexpr std::int64_t block = 1 << 20;
  std::int64_t const most = heap() + 3 * block;
  std::atomic<int> granted{0};
  std::atomic<int> asked{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        event const e{0};
        granted += grant(block, most);
        ++asked;
        while (asked < 8) std::this_thread::yield();  // all events are open
      });
    }
  }
  CHECK(granted == 3);
  CHECK(process_totals.granted == 0);  // the events have ended
}

TEST_CASE("totals: a grant ends when the block is tracked, or with its event") {
  std::int64_t const before = heap();
  {
    event const e{0};
    CHECK(grant(1000, before + 1000));
    CHECK_FALSE(grant(1, before + 1000));
    CHECK(grant(0, before + 1000));
    CHECK_FALSE(grant(0, before + 999));
    grant_anyway(500);
    CHECK(heap() == before + 1500);
    take_back_grant();
    CHECK(heap() == before);
    grant_anyway(500);
  }
  CHECK(heap() == before);
}

TEST_CASE("totals: very large blocks leave the audit's sums what they are at most") {
  const residual before = read_residual(consumer::live);
  const auto expected = [&] { return read_residual(consumer::live).expected - before.expected; };
  constexpr double samples = 0x1p44;  // of a block of 2^44 words at a rate of 1
  add_residual(consumer::live, {.expected = samples, .excess = 0.0, .variance = 0.0});
  CHECK(expected() == 0x1p42);
  add_residual(consumer::live, {.expected = -samples, .excess = 0.0, .variance = 0.0});
  CHECK(expected() == 0.0);
}
