// SPDX-License-Identifier: MIT
// limit_memory(64 MiB): a task that holds little may allocate without end; one that grows is
// stopped near the
// limit. At the default rate one standard deviation is 3.5 %; 48 MiB is 7 of them away and 96 MiB
// 11 (small blocks; larger ones are nearly exact), so these bounds fail once in 1e11 runs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "memprof/limits.hpp"
#include "memprof/process.hpp"

#include "statistical/sampled_block.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::literals;
using memprof::test::get_block;
using memprof::test::put_block;

// 20 GiB through a ring of 8 MiB.
TEST_CASE("a task that allocates 20 GiB in all but holds 8 MiB finishes") {
  const std::size_t size = GENERATE(4'096u, 65'536u, 1'048'576u);
  set_process_sampling_rate(default_sampling_rate);
  set_seed(21);
  const std::size_t held = (std::size_t{8} << 20) / size;
  const std::size_t rounds = (std::size_t{20} << 30) / size;
  std::vector<void*> ring(held, nullptr);
  const auto r = limit_memory(64_MiB, [&] {
    for (std::size_t i = 0; i < rounds; ++i) {
      void*& slot = ring[i % held];
      if (slot != nullptr) put_block(slot, size);
      slot = get_block(size);
      *static_cast<char*>(slot) = 1;
    }
  });
  CHECK(r.has_value());
  for (void* block : ring) put_block(block, size);
}

TEST_CASE("a task that grows is interrupted between 48 and 96 MiB") {
  const std::size_t size = GENERATE(7u, 64u, 1'000u, 4'096u, 300'000u, 0u /* a mixture */);
  set_process_sampling_rate(default_sampling_rate);
  double lowest = 1e18;
  double highest = 0.0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    set_seed(seed);
    std::vector<std::pair<void*, std::size_t>> blocks;
    blocks.reserve(8'000'000);
    std::int64_t live = 0;
    const auto r = limit_memory(64_MiB, [&] {
      for (std::size_t i = 0;; ++i) {
        const std::size_t n = size != 0 ? size : std::size_t{8} << (i % 14);
        blocks.emplace_back(get_block(n), n);
        live += block_words(bytes(static_cast<std::int64_t>(n))).count() * 8;
      }
    });
    CAPTURE(size, seed, live);
    REQUIRE_FALSE(r.has_value());
    CHECK(r.error().kind() == limit_kind::memory);
    CHECK(bytes{live} >= 48_MiB);
    CHECK(bytes{live} <= 96_MiB);
    for (auto [block, n] : blocks) put_block(block, n);
    lowest = std::min(lowest, static_cast<double>(live));
    highest = std::max(highest, static_cast<double>(live));
  }
  // An estimate that is too high by a factor divides what is live at the interrupt by it.
  constexpr double mebibyte = 1 << 20;
  std::printf("growing tasks, %zu bytes: finds a bias of +%.0f %%, -%.0f %%\n", size,
              100 * (lowest / (48 * mebibyte) - 1), 100 * (1 - highest / (96 * mebibyte)));
}
