// SPDX-License-Identifier: MIT
// Live estimates of the engine at high rates, and of blocks that were
// sampled at several rates: what `budget::live` reports is right on average, and its intervals hold
// the truth as often as they say. Correct code fails a check once in 1e10 seeds; printed is the
// smallest fault that would be found.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "memprof/limits.hpp"
#include "memprof/process.hpp"

#include "statistical/sampled_block.hpp"
#include "support/catch2.hpp"
#include "support/coverage.hpp"

using namespace memprof;
using memprof::test::coverage_count;
using memprof::test::get_block;
using memprof::test::put_block;

namespace {

constexpr std::size_t live_block_size = 16;
constexpr std::int64_t block_bytes = 24;

struct heap_part {
  double per_word;
  std::int64_t blocks;
};

/// What a budget reports that got these parts, one after the other, and holds all of it.
estimate live_after(std::vector<heap_part> const& parts, std::vector<void*>& blocks) {
  budget b({.memory = max_allocation_limit});
  for (heap_part const& part : parts) {
    set_limit_sampling_rate(sampling_rate{part.per_word});
    const auto r = b.run([&] {
      for (std::int64_t i = 0; i < part.blocks; ++i) blocks.push_back(get_block(live_block_size));
    });
    REQUIRE(r);
  }
  const estimate e = b.live();
  for (void* block : blocks) put_block(block, live_block_size);
  blocks.clear();
  return e;
}

coverage_count observe(char const* what, std::vector<heap_part> const& parts, int runs) {
  coverage_count seen(what, 0.05);
  std::int64_t all = 0;
  for (heap_part const& part : parts) all += part.blocks;
  std::vector<void*> blocks;
  blocks.reserve(static_cast<std::size_t>(all));
  const auto truth = static_cast<double>(all * block_bytes);
  for (int i = 0; i < runs; ++i) {
    const estimate e = live_after(parts, blocks);
    seen.add(truth, static_cast<double>(e.value.count()), static_cast<double>(e.lower.count()),
             static_cast<double>(e.upper.count()));
  }
  set_limit_sampling_rate(default_sampling_rate);
  seen.print();
  return seen;
}

void check(coverage_count const& seen) {
  CHECK(seen.misses() <= seen.most_misses());
  CHECK(seen.misses_on_a_side() <= seen.most_misses_on_a_side());
  CHECK(std::abs(seen.bias_in_deviations()) < coverage_count::most_deviations);
}

}  // namespace

TEST_CASE("intervals of live estimates hold the truth at high rates") {
  set_seed(71);
  check(observe("10 blocks of 16 bytes at 0.1", {{0.1, 10}}, 20'000));
  check(observe("3000 blocks of 16 bytes at 0.1", {{0.1, 3000}}, 600));
  check(observe("10 blocks of 16 bytes at 0.3", {{0.3, 10}}, 20'000));
  check(observe("3000 blocks of 16 bytes at 0.3", {{0.3, 3000}}, 600));
  check(observe("3000 blocks of 16 bytes at 0.9", {{0.9, 3000}}, 600));
  check(observe("100 000 blocks of 16 bytes at 0.9", {{0.9, 100'000}}, 100));
}

// Of 95 %, 2.5 % on either side. Misses of another 2.5 % that are all on one side are found.
TEST_CASE("intervals of live estimates miss as often on either side as they say") {
  set_seed(74);
  const coverage_count seen = observe("1000 blocks of 16 bytes at 0.1", {{0.1, 1000}}, 8'000);
  std::printf("%-44s finds %.1f %% instead of 2.5 %%\n", "  on one side",
              100 * (static_cast<double>(seen.most_misses_on_a_side()) + 0.67) /
                  static_cast<double>(seen.draws()));
  check(seen);
}

TEST_CASE("live estimates at rate 1 have no error") {
  set_seed(72);
  std::vector<void*> blocks;
  blocks.reserve(1000);  // not part of the heap
  const estimate e = live_after({{1.0, 1000}}, blocks);
  set_limit_sampling_rate(default_sampling_rate);
  CHECK(e.value.count() == 1000 * block_bytes);
  CHECK(e.lower == e.value);
  CHECK(e.upper == e.value);
}

// Blocks of the lower rate, of which none may have been seen, are in the interval, too. S are 800
// words (266 blocks) and 80.
TEST_CASE("intervals of live estimates hold the truth after the rate was raised or lowered") {
  set_seed(73);
  constexpr double low = 1.0 / 800, high = 1.0 / 80;
  check(observe("1 S, then the rate raised tenfold", {{low, 267}, {high, 1}}, 4'000));
  check(observe("1 S, raised tenfold, 1 new S", {{low, 267}, {high, 27}}, 4'000));
  check(observe("1 S, raised tenfold, 100 new S", {{low, 267}, {high, 2667}}, 1'500));
  check(observe("30 S, raised tenfold, 100 new S", {{low, 8'000}, {high, 2667}}, 500));
  check(observe("1 S, then the rate lowered tenfold", {{high, 27}, {low, 1}}, 20'000));
  check(observe("30 S, lowered tenfold, 3 new S", {{high, 800}, {low, 800}}, 2'000));
  check(observe("1 S at 1/800, and 1000 blocks at rate 1", {{low, 267}, {1.0, 1000}}, 2'000));
}
