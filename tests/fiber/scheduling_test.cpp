// SPDX-License-Identifier: MIT
// run_for: a thread shared by work done.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "memprof/fiber.hpp"
#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

using namespace memprof;
using namespace memprof::test;

TEST_CASE("run_for: a slice is at least the quantum, and at most the request it stopped in more") {
  constexpr std::size_t sizes[] = {8, 56, 1000, 24};
  constexpr words largest = block_words(bytes{1000});
  std::vector<task<void>> tasks;
  for (const std::size_t size : sizes) {
    tasks.emplace_back(limits{}, [size] {
      words granted{};
      churn_until(words{1'000'000'000}, granted, size);
    });
  }
  for (const words quantum : {1_w, 10_w, 1000_w, 50_kw}) {
    for (auto& t : tasks) {
      const bytes before = t.allocated();
      REQUIRE(t.run_for(quantum) == task_state::paused);
      const words used = floor_to_words(t.allocated() - before);
      CHECK(used > quantum);
      CHECK(used <= quantum + t.pause().requested);
      CHECK(t.pause().requested <= largest);
    }
  }
}

TEST_CASE("run_for: with the overrun taken off the next turn, shares differ by one request") {
  constexpr words quantum = 500_w;
  std::vector<task<void>> tasks;
  for (const std::size_t size : {std::size_t{16}, std::size_t{200}, std::size_t{1600}}) {
    tasks.emplace_back(limits{}, [size] {
      words granted{};
      churn_until(words{1'000'000'000}, granted, size);
    });
  }
  for (std::int64_t turn = 1; turn <= 200; ++turn) {
    for (auto& t : tasks) {
      const words left = quantum * turn - floor_to_words(t.allocated());
      if (left >= 1_w) REQUIRE(t.run_for(left) == task_state::paused);
    }
  }
  for (auto& t : tasks) {
    const words used = floor_to_words(t.allocated());
    CHECK(used > quantum * 200);
    CHECK(used <= quantum * 200 + block_words(bytes{1600}));
  }
}

TEST_CASE("run_for: in a masked region it stops within 1000 words after its end") {
  words granted{};
  task t{limits{}, [&] {
           {
             const masked_scope mask;
             churn_until(20_kw, granted);
           }
           churn_until(40_kw, granted);
         }};
  REQUIRE(t.run_for(100_w) == task_state::paused);
  CHECK(granted >= 20_kw);
  CHECK(granted <= 21_kw + small_words);
}

TEST_CASE("a limit that is hit in a masked region pauses the task at once after its end") {
  words granted{};
  task t{limits{.allocations = 1000_w, .count = counting::exact}, [&] {
           {
             const masked_scope mask;
             churn(20_kw);
           }
           churn_until(20_kw, granted);
         }};
  REQUIRE(t.resume() == task_state::paused);
  CHECK(t.pause().reason == pause_reason::limit);
  CHECK(granted == words{0});
}

TEST_CASE("run_for: a quantum and a limit, what comes first") {
  task t{limits{.allocations = 1000_w, .count = counting::exact}, [] { churn(3000_w); }};
  REQUIRE(t.run_for(600_w) == task_state::paused);
  CHECK(t.pause().reason == pause_reason::quantum);
  REQUIRE(t.run_for(600_w) == task_state::paused);
  CHECK(t.pause().reason == pause_reason::limit);
  t.raise_limit(1_MiB);
  REQUIRE(t.run_for(600_w) == task_state::paused);
  CHECK(t.pause().reason == pause_reason::quantum);
  CHECK(t.resume() == task_state::finished);
}

TEST_CASE("run_for: the sampled count of a task goes on over its pauses, as if there were none") {
  // S = 100 words, seeds as given: the interrupt comes at sample number 50 of the task, whatever
  // the monitor allocates in between. Rate and seed are fixed: it never fails for correct code.
  const with_seed seeded(7, sampling_rate{0.01});
  task t{limits{.allocations = 5000_w}, [] { churn(1_Mw); }};
  while (t.run_for(97_w) == task_state::paused && t.pause().reason == pause_reason::quantum) {
    churn(1000_w);
  }
  REQUIRE(t.state() == task_state::paused);
  CHECK(t.pause().reason == pause_reason::limit);
  CHECK(t.pause().measured == bytes{5000_w});
  // 50 samples of mean 100: within 6 standard deviations (of 707 words) of 5000.
  CHECK(t.allocated() > bytes{900_w});
  CHECK(t.allocated() < bytes{9200_w});
}
