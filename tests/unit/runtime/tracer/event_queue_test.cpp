// SPDX-License-Identifier: MIT
#include "tracer/event_queue.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::tracer;

TEST_CASE("event_queue keeps the order, over laps, and says when it is full") {
  event_queue q;
  CHECK_FALSE(q.push({}));
  REQUIRE(q.renew());
  queued_event e;
  CHECK_FALSE(q.pop(e));
  std::uint64_t next_in = 0;
  std::uint64_t next_out = 0;
  for (int lap = 0; lap < 3; ++lap) {
    while (q.push({.time = next_in})) ++next_in;
    CHECK(q.pushed() - q.popped() == event_queue::capacity);
    for (int i = 0; i < 1000 * (lap + 1); ++i) {
      REQUIRE(q.pop(e));
      REQUIRE(e.time == next_out++);
    }
  }
  while (q.pop(e)) REQUIRE(e.time == next_out++);
  CHECK(next_in == next_out);
  CHECK(next_in == event_queue::capacity + 3000);
}

TEST_CASE("event_queue: four threads push, none is lost, each in its order") {
  event_queue q;
  REQUIRE(q.renew());
  constexpr std::uint64_t each = 100'000;
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&q, t] {
      for (std::uint64_t i = 0; i < each; ++i) {
        while (!q.push({.time = i, .tag = t})) std::this_thread::yield();
      }
    });
  }
  std::array<std::uint64_t, 4> next{};
  queued_event e;
  bool in_order = true;
  for (std::uint64_t n = 0; n < each * 4;) {
    if (!q.pop(e)) {
      std::this_thread::yield();
      continue;
    }
    in_order = in_order && e.time == next[e.tag]++;
    ++n;
  }
  for (auto& t : threads) t.join();
  CHECK(in_order);
  CHECK_FALSE(q.pop(e));
}
