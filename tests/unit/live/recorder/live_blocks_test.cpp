// SPDX-License-Identifier: MIT
//
// Records in, live memory out; and records that no program of ours would push.
#include "recorder/live_blocks.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "pushed_records.hpp"
#include "recorder/live_snapshot.hpp"
#include "relay/relay.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using recorder::live_blocks;
using relay::record_kind;
using namespace memprof::test;

namespace {

std::size_t count(live_blocks const& l) {
  std::size_t n = 0;
  l.for_each([&](auto const&) { ++n; });
  return n;
}

}  // namespace

TEST_CASE("live memory is the sum of blocks by the inverse of their chance, with its variance") {
  live_blocks l(4711);
  allocate(l, 1, 10, 1, {});  // before it has begun
  CHECK(l.amount().bytes == 0);
  begin(l, 0.1);
  allocate(l, 7, 9, 2000, {0x10030});
  const double q = 1 - std::pow(0.9, 10);
  CHECK(std::abs(l.amount().bytes - 80 / q) < 1e-9);
  CHECK(std::abs(l.amount().variance - 80 / q * 80 / q * (1 - q)) < 1e-9);
  allocate(l, 8, 9, 2000, {0x10030});
  CHECK(std::abs(l.amount().bytes - 160 / q) < 1e-9);
  free(l, 7);
  free(l, 7);
  free(l, 12345);
  CHECK(std::abs(l.amount().bytes - 80 / q) < 1e-9);
  free(l, 8);
  CHECK(l.amount().bytes == 0);
  CHECK(l.amount().variance == 0);
  CHECK(l.sampled());
}

TEST_CASE("another program in the same process has none of the last one's blocks") {
  live_blocks l(4711);
  begin(l, 0.5);
  allocate(l, 1, 10, 2000, {0x10030});
  begin(l, 0.5, "/bin/other");
  CHECK(l.amount().bytes == 0);
  CHECK(l.program() == "/bin/other");
  CHECK(count(l) == 0);
}

TEST_CASE("whether a process began to exit, and not the program that it was before") {
  live_blocks l(1);
  begin(l, 1.0);
  CHECK_FALSE(l.exit_began());
  begin_exit(l);
  l.close();
  CHECK(l.exit_began());
  begin(l, 1.0, "/bin/other");
  CHECK_FALSE(l.exit_began());
}

TEST_CASE("a snapshot of two processes: the same code has one name") {
  live_blocks a(1), b(2);
  begin(a, 0.5);
  begin(b, 0.5);
  announce(a, 0x10000, "/lib/one.so");
  announce(b, 0x50000, "/lib/one.so");
  allocate(a, 1, 10, 3000, {0x10031, 0x10021});
  allocate(b, 1, 20, 2000, {0x50031, 0x50041});
  allocate(b, 2, 30, 2500, {0x50031});
  free(b, 2);
  const std::array all{&a, &b};
  const recorder::live_snapshot snapshot(all);
  std::vector<std::uint64_t> lengths;
  std::vector<std::vector<trace::location_code>> stacks;
  snapshot.for_each_event([&](trace::event const& e) {
    lengths.push_back(e.length);
    stacks.emplace_back(e.backtrace.begin(), e.backtrace.end());
  });
  CHECK(lengths == std::vector<std::uint64_t>{20, 10});  // by age
  REQUIRE(stacks[0].size() == 2);
  REQUIRE(stacks[1].size() == 2);
  CHECK(stacks[0][1] == stacks[1][1]);
  CHECK(stacks[0][0] != stacks[1][0]);
  CHECK(snapshot.locations(stacks[0][1])[0].defname == "one.so+0x30");
  CHECK(snapshot.info().pid == 1);
  CHECK(snapshot.info().sample_rate == 0.5);
}

TEST_CASE("records of any words harm nothing") {
  std::mt19937_64 random(20261124);
  live_blocks l(4711);
  begin(l, 0.5);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::uint64_t> words(2 + random() % 9);
    for (auto& w : words) w = random() % 3 == 0 ? random() : random() % 64;
    words[0] = (random() % 40) << 32 | (random() % 4) << 24 | (random() % 9) << 16 | words.size();
    if ((words[0] >> 16 & 0xff) == static_cast<std::uint64_t>(record_kind::begin)) continue;
    take(l, words);
  }
  CHECK(l.failure() == "");
  CHECK(l.amount().bytes >= 0);
  const std::array all{&l};
  const recorder::live_snapshot snapshot(all);
  std::size_t n = 0;
  snapshot.for_each_event([&](trace::event const&) { ++n; });
  CHECK(n == count(l));
  CHECK(n > 0);
}
