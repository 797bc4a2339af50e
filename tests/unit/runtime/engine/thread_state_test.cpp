// SPDX-License-Identifier: MIT
#include <thread>

#include "engine/engine.hpp"
#include "support/catch2.hpp"

using namespace memprof::engine;

namespace {

/// The fast path and, if it must, the slow one. True if the slow one was taken.
bool take_words(std::int64_t words) {
  if ((current.countdown -= words) >= 0) return false;
  const event e{words};
  return true;
}

struct rate_of_test {
  explicit rate_of_test(double per_word) {
    ensure_started();
    configure_process_rate(per_word);
    rearm();
  }
  ~rate_of_test() {
    configure_process_rate(1e-4);
    rearm();
  }
};

/// What a large allocation asks before its event.
[[gnu::noinline]] bool is_muted_at_allocation(std::int64_t words) {
  current.countdown -= words;
  return is_muted(__builtin_frame_address(0), words);
}

}  // namespace

TEST_CASE("positions count every word, whatever path it takes") {
  for (double per_word : {0.0, 1e-3, 0.1, 1.0}) {
    const rate_of_test r(per_word);
    const std::int64_t before = position_now();
    std::int64_t counted = 0;
    for (std::int64_t i = 1; i < 10'000; ++i) {
      take_words(i % 97 + 1);
      counted += i % 97 + 1;
      REQUIRE(position_now() - before == counted);
    }
  }
}

TEST_CASE("a new thread's first allocation takes the slow path, and draws before it counts") {
  const rate_of_test r(1e-6);
  std::thread([] {
    CHECK_FALSE(current.started);
    CHECK(take_words(1));
    CHECK(current.started);
    CHECK_FALSE(take_words(1));
    CHECK(position_now() == 2);
  }).join();
}

TEST_CASE("what a thread asks for within an event counts from its end on") {
  const rate_of_test r(1e-6);
  for (const bool process_changes : {false, true}) {
    const double demand = process_changes ? 0.5 : 0.25;
    {
      const event e{0};
      set_demand_after_event(demand);
      if (process_changes) configure_process_rate(2e-6);
      CHECK(current.law.per_word() < demand);
    }
    CHECK(current.law.per_word() == demand);
  }
  set_demand(0.0);
  CHECK(current.law.per_word() == 2e-6);
}

TEST_CASE("a muted thread neither counts nor samples, and goes on where it was") {
  const rate_of_test r(1.0);
  take_words(1);
  const std::int64_t before = position_now();
  const std::uint64_t samples = sampled_so_far().samples;
  {
    const muted_section outer;
    CHECK_FALSE(take_words(1'000));
    for (int i = 0; i < 1000; ++i) CHECK(is_muted_at_allocation(1'000'000));
    {
      const muted_section inner;
      CHECK_FALSE(take_words(1));
    }
    CHECK_FALSE(take_words(1));
    CHECK(position_now() == before);
  }
  CHECK(sampled_so_far().samples == samples);
  CHECK(position_now() == before);
  CHECK(take_words(5));
  CHECK(sampled_so_far().samples == samples + 5);
}

TEST_CASE("rate 0 takes the slow path once in a million words, to learn of changes") {
  const rate_of_test r(0.0);
  take_words(1);
  int slow = 0;
  for (int i = 0; i < 10'000'000; i += 100) slow += take_words(100) ? 1 : 0;
  CHECK(slow >= 9);
  CHECK(slow <= 11);
}

TEST_CASE("a wakeup comes at its word") {
  const rate_of_test r(0.0);
  take_words(1);
  current.wakeup = position_now() + 1000;
  rearm();
  for (int i = 0; i < 1000; ++i) REQUIRE_FALSE(take_words(1));
  CHECK(take_words(1));
  current.wakeup = std::int64_t{1} << 62;
  rearm();
}

TEST_CASE("the same seed gives the same samples") {
  const rate_of_test r(1e-2);
  std::vector<int> runs[2];
  for (auto& run : runs) {
    configure_seed(1234);
    restart_random();
    for (int i = 0; i < 20'000; ++i) {
      if (take_words(3)) run.push_back(i);
    }
  }
  CHECK(runs[0] == runs[1]);
  CHECK(runs[0].size() > 300);
}
