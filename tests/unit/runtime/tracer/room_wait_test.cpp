// SPDX-License-Identifier: MIT
#include "tracer/room_wait.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "support/catch2.hpp"

using memprof::tracer::wait_for_room;

namespace {

using clock_type = std::chrono::steady_clock;

std::int64_t us_since(clock_type::time_point then) {
  return std::chrono::duration_cast<std::chrono::microseconds>(clock_type::now() - then).count();
}

}  // namespace

TEST_CASE("wait_for_room: the reader is woken before each try, until there is room") {
  std::atomic<std::int64_t> patience{1'000'000'000};
  int tries = 0;
  int woken = 0;
  errno = EDOM;
  CHECK(wait_for_room(
      patience, [&] { return ++tries == 4; }, [] { return 0u; },
      [&] {
        CHECK(woken == tries);
        ++woken;
        errno = ERANGE;
      },
      [] { return true; }));
  CHECK(tries == 4);
  CHECK(woken == 4);
  CHECK(errno == EDOM);
}

TEST_CASE("wait_for_room: what nobody wants any more is not waited for") {
  std::atomic<std::int64_t> patience{1'000'000'000};
  int tries = 0;
  const auto push = [&] { return ++tries > 1000; };
  CHECK_FALSE(wait_for_room(
      patience, push, [] { return 0u; }, [] {}, [] { return false; }));
  CHECK(tries == 0);
  CHECK_FALSE(wait_for_room(
      patience, push, [] { return 0u; }, [] {}, [&] { return tries < 3; }));
  CHECK(tries == 3);
}

TEST_CASE("wait_for_room: a stuck reader costs the patience, once for all threads") {
  std::atomic<std::int64_t> patience{30'000};
  const auto begin = clock_type::now();
  int tries = 0;
  const auto push = [&] { return ++tries < 0; };
  CHECK_FALSE(wait_for_room(
      patience, push, [] { return 7u; }, [] {}, [] { return true; }));
  // Of a stall 50 ms are free.
  CHECK(us_since(begin) >= 80'000);
  CHECK(patience.load() <= 0);
  CHECK(tries > 1);
  tries = 0;
  CHECK_FALSE(wait_for_room(
      patience, push, [] { return 7u; }, [] {}, [] { return true; }));
  CHECK(tries == 0);
}

TEST_CASE("wait_for_room: a reader that makes progress costs none, however long it takes") {
  std::atomic<std::int64_t> patience{1'000'000'000};
  const auto begin = clock_type::now();
  auto last = begin;
  std::int64_t late = 0;  // of this thread, which the machine did not run
  unsigned taken = 0;
  CHECK(wait_for_room(
      patience, [&] { return us_since(begin) > 200'000; },
      [&] {
        if (const std::int64_t gap = us_since(last); gap > 25'000) late += 2 * gap;
        last = clock_type::now();
        return ++taken / 2;
      },
      [] {}, [] { return true; }));
  CHECK(1'000'000'000 - patience.load() <= late);
  CHECK(patience.load() <= 1'000'000'000);  // and gives none
  if (late == 0) CHECK(taken > 2);
}

TEST_CASE("wait_for_room: 50 ms of each stall are free, and what is longer is charged") {
  std::atomic<std::int64_t> patience{1'000'000'000};
  const auto begin = clock_type::now();
  std::int64_t last = 0;
  std::int64_t longest = 0;  // between two looks
  // Takes something each 80 ms.
  CHECK(wait_for_room(
      patience, [&] { return us_since(begin) > 410'000; },
      [&] {
        const std::int64_t now = us_since(begin);
        longest = std::max(longest, now - last);
        last = now;
        return static_cast<std::uint64_t>(now / 80'000);
      },
      [] {}, [] { return true; }));
  const std::int64_t charged = 1'000'000'000 - patience.load();
  // Five times 30 ms. What this thread, which the machine did not run, has not seen is not charged.
  if (longest < 5'000) CHECK(charged > 5 * 20'000);
  CHECK(charged < us_since(begin));
}
