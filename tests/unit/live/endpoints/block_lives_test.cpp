// SPDX-License-Identifier: MIT
#include "endpoints/block_lives.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <thread>

#include "support/catch2.hpp"

using namespace memprof::endpoints;

namespace {

// Not on the stack: a table has 160 KB.
std::unique_ptr<block_lives> lives_with(std::uint32_t live, std::uint32_t freed) {
  return std::make_unique<block_lives>(live, freed);
}

std::uint64_t samples_of(lives_snapshot const& s) {
  std::uint64_t sum = 0;
  for (block_life const& l : s.lives) sum += l.samples;
  return sum;
}

}  // namespace

TEST_CASE("block lives: a block comes, is promoted, and is freed") {
  const auto lives = lives_with(1024, 1024);
  REQUIRE(lives->watch(0, 1'000'000));
  const auto first = lives->begin({.words = 5, .samples = 2, .stack = 77, .heap = 0}, 10);
  const auto second = lives->begin({.words = 600, .samples = 1, .stack = 78, .heap = 1}, 11);
  const auto third = lives->begin({.words = 9, .samples = 1, .stack = 79, .heap = 2}, 12);
  lives->promote(first, 20);
  lives->end(first, 30);
  lives->end(third, 40);
  const lives_snapshot s = lives->snapshot(50);
  REQUIRE(s.lives.size() == 3);
  block_life const& a = s.lives[0];
  CHECK(a.words == 5);
  CHECK(a.samples == 2);
  CHECK(a.stack == 77);
  CHECK(a.heap == 0);
  CHECK(a.born == 10);
  CHECK(a.promoted == 20);
  CHECK(a.freed == 30);
  CHECK(a.between == 2);  // a sample of the second, one of the third
  CHECK(s.lives[1].stack == 78);
  CHECK(s.lives[1].heap == 1);
  CHECK(s.lives[1].promoted == -1);
  CHECK(s.lives[1].freed == -1);
  CHECK(s.lives[2].heap == 2);
  CHECK(s.lives[2].freed == 40);
  CHECK(s.lives[2].between == 0);
  CHECK(s.halvings == 0);
  CHECK(s.lost == 0);

  // As it was at an earlier time.
  const lives_snapshot before = lives->snapshot(30);
  REQUIRE(before.lives.size() == 3);
  CHECK(before.lives[0].freed == 30);
  CHECK(before.lives[2].freed == -1);
  CHECK(lives->snapshot(11).lives.size() == 2);
  lives->end(second, 60);
}

TEST_CASE("block lives: what is freed while nobody looks is gone") {
  const auto lives = lives_with(1024, 1024);
  const auto a = lives->begin({}, 1);
  const auto b = lives->begin({}, 2);
  const auto c = lives->begin({}, 3);
  lives->end(a, 4);
  REQUIRE(lives->watch(10, 100));
  CHECK(lives->snapshot(10).freed_since == 10);
  CHECK(lives->snapshot(10).lives.size() == 2);
  REQUIRE(lives->watch(50, 150));  // again in time: nothing was missed
  lives->end(b, 120);
  CHECK(lives->snapshot(120).freed_since == 10);
  CHECK(lives->snapshot(120).lives.size() == 2);
  lives->end(c, 150);  // nobody has asked
  REQUIRE(lives->watch(200, 300));
  const lives_snapshot s = lives->snapshot(200);
  CHECK(s.freed_since == 200);
  CHECK(s.lives.empty());
}

TEST_CASE("block lives: the ring forgets the oldest, and says since when it is whole") {
  const auto lives = lives_with(1024, 64);
  REQUIRE(lives->watch(0, 1'000'000));
  for (int i = 1; i <= 1000; ++i) lives->end(lives->begin({}, i), i);
  const lives_snapshot s = lives->snapshot(1000);
  CHECK(s.freed_since == 1000 - 64);
  CHECK(s.lives.size() == 64);
  for (block_life const& l : s.lives) CHECK(l.freed > s.freed_since);
}

TEST_CASE("block lives: a full table thins its samples without bias") {
  // 60 000 blocks of one sample in a table for 1024. What is kept is binomial(60 000, 2^-h), whose
  // ninefold deviation correct code exceeds less often than 1e-18; h itself looks at few of them.
  const auto lives = lives_with(1024, 64);
  constexpr std::uint64_t blocks = 60'000;
  for (std::uint64_t i = 0; i < blocks; ++i) lives->begin({}, 0);
  const lives_snapshot s = lives->snapshot(0);
  CHECK(s.lost == 0);
  CHECK(s.halvings >= 6);
  CHECK(s.lives.size() <= 1024);
  const double kept = std::ldexp(static_cast<double>(blocks), -static_cast<int>(s.halvings));
  CHECK(std::abs(static_cast<double>(samples_of(s)) - kept) < 9 * std::sqrt(kept) + 9);
}

TEST_CASE("block lives: a large block keeps its share of samples") {
  const auto lives = lives_with(64, 64);
  for (int i = 0; i < 2000; ++i) lives->begin({}, 0);
  constexpr std::uint64_t samples = 1'000'000;
  REQUIRE(lives->begin({.words = samples, .samples = samples}, 1).id != 0);
  const lives_snapshot s = lives->snapshot(1);
  block_life const& large = s.lives.back();
  REQUIRE(large.words == samples);
  const double kept = std::ldexp(static_cast<double>(samples), -static_cast<int>(s.halvings));
  CHECK(std::abs(static_cast<double>(large.samples) - kept) < 9 * std::sqrt(kept) + 9);
}

TEST_CASE("block lives: no room at all is counted") {
  const auto lives = lives_with(4, 4);
  constexpr std::uint64_t many = 1 << 20;  // of which thinning leaves some
  for (int i = 0; i < 7; ++i) lives->begin({.words = many, .samples = many}, 0);
  const lives_snapshot s = lives->snapshot(0);
  CHECK(s.lives.size() == 4);
  CHECK(s.lost == 3 * many);
}

TEST_CASE("block lives: copies taken while threads allocate and free are whole") {
  const auto lives = lives_with(1024, 256);
  std::atomic<std::int64_t> time{1};
  std::atomic<bool> stop{false};
  REQUIRE(lives->watch(0, std::int64_t{1} << 60));
  const auto work = [&](std::uint32_t thread) {
    std::array<kept_life, 50> held{};
    for (std::uint32_t i = 1; !stop; ++i) {
      kept_life& place = held[i % held.size()];
      lives->end(place, time.fetch_add(1));
      // All fields say the same number.
      const std::uint32_t number = thread << 24 | (i & 0xff'ffff);
      place = lives->begin({.words = number, .samples = 1, .stack = number}, time.fetch_add(1));
    }
    for (const kept_life life : held) lives->end(life, time.fetch_add(1));
  };
  std::jthread one(work, 1), two(work, 2);
  std::size_t seen = 0;
  for (int i = 0; i < 300 || seen < 10'000; ++i) {
    const std::int64_t now = time;
    const lives_snapshot s = lives->snapshot(now);
    std::uint64_t last = 0;
    for (block_life const& l : s.lives) {
      REQUIRE(l.words == l.stack);
      REQUIRE(l.id > last);  // each once
      REQUIRE(l.born <= now);
      REQUIRE((l.freed == -1 || (l.freed > l.born && l.freed <= now)));
      last = l.id;
    }
    seen += s.lives.size();
  }
  stop = true;
  one.join();
  two.join();
  for (block_life const& l : lives->snapshot(time).lives) CHECK(l.freed >= 0);
}
