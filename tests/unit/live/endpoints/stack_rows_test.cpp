// SPDX-License-Identifier: MIT
#include "endpoints/stack_rows.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::endpoints;

namespace {

std::vector<std::uintptr_t> stack_numbered(std::uintptr_t n, std::size_t length = 20) {
  std::vector<std::uintptr_t> frames(length, 0x5555'0000'1000);
  frames[0] = 0x5555'0000'0000 + n;
  frames[length / 2] = 0x7fff'0000'0000 + n * 7;
  return frames;
}

std::vector<std::uintptr_t> frames_named(stack_rows& rows, std::uint64_t stack) {
  const auto f = rows.frames_of(stack);
  return {f.begin(), f.end()};
}

std::vector<profile_row> all_of(stack_rows const& rows) {
  std::vector<profile_row> all;
  rows.for_each([&](profile_row const& r) { all.push_back(r); });
  return all;
}

}  // namespace

TEST_CASE("stack rows: one for each stack, size and set of labels") {
  static constinit stack_rows rows{8};
  REQUIRE(rows.begin());
  const auto a = rows.allocate(stack_numbered(1), 3, 5, 2);
  CHECK(rows.allocate(stack_numbered(1), 3, 5, 1).index == a.index);
  CHECK(rows.allocate(stack_numbered(1), 4, 5, 1).index != a.index);
  CHECK(rows.allocate(stack_numbered(1), 3, 6, 1).index != a.index);
  CHECK(rows.allocate(stack_numbered(2), 3, 5, 1).index != a.index);
  CHECK(rows.allocate(stack_numbered(1, 21), 3, 5, 1).index != a.index);
  rows.free(a.index, 2);
  CHECK(rows.used() == 5);
  for (profile_row const& r : all_of(rows)) {
    if (r.index != a.index) continue;
    CHECK(r.stack == a.stack);
    CHECK(r.allocated == 3);
    CHECK(r.in_use == 1);
    CHECK(r.words == 5);
    CHECK(r.labels == 3);
  }
  CHECK(frames_named(rows, a.stack) == stack_numbered(1));
  CHECK(rows.frames_of(0).empty());
  const auto none = rows.allocate({}, 0, 5, 1);
  CHECK(none.stack == 0);
  CHECK(none.index == rows.rest_of(5));
}

TEST_CASE("stack rows: what does not live makes room, what lives stays, no sample is lost") {
  // By the number of rows, and by the memory of their stacks.
  static constinit stack_rows by_number{7};
  static constinit stack_rows by_memory{8, 16 * 1024};
  for (stack_rows* const rows : {&by_number, &by_memory}) {
    REQUIRE(rows->begin());
    std::vector<stack_rows::place> live;
    for (std::uintptr_t n = 0; n < 20; ++n) {
      live.push_back(rows->allocate(stack_numbered(n), 0, 5, 1));
    }
    for (std::uintptr_t n = 1000; n < 101'000; ++n) {
      const auto at = rows->allocate(stack_numbered(n), 0, 5, 1);
      REQUIRE(at.stack != 0);
      REQUIRE(frames_named(*rows, at.stack) == stack_numbered(n));
      rows->free(at.index, 1);
    }
    CHECK(rows->removed() > 99'000);
    for (std::uintptr_t n = 0; n < 20; ++n) {
      CHECK(frames_named(*rows, live[n].stack) == stack_numbered(n));
      CHECK(rows->allocate(stack_numbered(n), 0, 5, 1).index == live[n].index);
    }
    std::uint64_t allocated = 0, in_use = 0;
    for (profile_row const& r : all_of(*rows)) {
      allocated += r.allocated;
      in_use += r.in_use;
    }
    CHECK(allocated == 100'040);
    CHECK(in_use == 40);
  }
}

TEST_CASE("stack rows: one that is used again and again stays") {
  static constinit stack_rows rows{7};
  REQUIRE(rows.begin());
  const auto often = rows.allocate(stack_numbered(0), 0, 5, 1);
  rows.free(often.index, 1);
  for (std::uintptr_t n = 1; n < 50'000; ++n) {
    rows.free(rows.allocate(stack_numbered(n), 0, 5, 1).index, 1);
    const auto again = rows.allocate(stack_numbered(0), 0, 5, 1);
    REQUIRE(again.stack == often.stack);
    rows.free(again.index, 1);
  }
}

TEST_CASE("stack rows: a name that was another row's has no frames; while held none changes") {
  static constinit stack_rows rows{7};
  REQUIRE(rows.begin());
  const auto old = rows.allocate(stack_numbered(0), 0, 5, 1);
  rows.free(old.index, 1);
  const auto churn = [](std::uintptr_t from) {
    for (std::uintptr_t n = from; n < from + 1000; ++n) {
      rows.free(rows.allocate(stack_numbered(n), 0, 5, 1).index, 1);
    }
  };
  {
    const stack_rows::holding held(rows);
    churn(1);
    CHECK(frames_named(rows, old.stack) == stack_numbered(0));
  }
  churn(2000);
  CHECK(rows.frames_of(old.stack).empty());
}

TEST_CASE("stack rows: where all live the rest is summed by size") {
  static constinit stack_rows rows{7};
  REQUIRE(rows.begin());
  for (std::uintptr_t n = 0; n < 1000; ++n) {
    const auto at = rows.allocate(stack_numbered(n), 0, 5, 1);
    if (n >= 64) REQUIRE(at.index == rows.rest_of(5));
  }
  CHECK(rows.used() <= 64);
}

TEST_CASE("stack rows: four threads, and one that reads") {
  static constinit stack_rows rows{8};
  REQUIRE(rows.begin());
  constexpr int count = 4, rounds = 40'000;
  std::atomic<int> wrong{0}, running{count};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([t, &wrong, &running] {
      std::mt19937_64 random{static_cast<std::uint64_t>(t)};
      std::vector<std::pair<stack_rows::place, std::uintptr_t>> kept;
      for (int i = 0; i < rounds; ++i) {
        const std::uintptr_t n = random() % 1000;
        kept.emplace_back(rows.allocate(stack_numbered(n, 1 + n % 100 + 1), 0, 5, 1), n);
        if (kept.size() < 16) continue;
        const auto [at, number] = kept.front();
        kept.erase(kept.begin());
        // Its block lives, so nobody has taken its row.
        if (at.stack != 0 &&
            frames_named(rows, at.stack) != stack_numbered(number, 1 + number % 100 + 1)) {
          ++wrong;
        }
        rows.free(at.index, 1);
      }
      for (auto const& [at, number] : kept) rows.free(at.index, 1);
      --running;
    });
  }
  while (running > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const stack_rows::holding held(rows);
    for (profile_row const& r : all_of(rows)) {
      const auto f = frames_named(rows, r.stack);
      if (f.empty()) continue;
      const std::uintptr_t n = f[0] - 0x5555'0000'0000;
      if (f.size() == 2 ? f[1] != 0x7fff'0000'0000 + n * 7
                        : f != stack_numbered(n, 1 + n % 100 + 1)) {
        ++wrong;
      }
    }
  }
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(rows.removed() > 0);
  std::uint64_t allocated = 0, in_use = 0;
  for (profile_row const& r : all_of(rows)) {
    allocated += r.allocated;
    in_use += r.in_use;
  }
  CHECK(allocated == count * rounds);
  CHECK(in_use == 0);
}
