// SPDX-License-Identifier: MIT
// The intervals on the page of metrics, as a scraper reads them, hold the truth as often as they
// say. Correct code fails a check once in 1e10 seeds; the seeds are fixed.
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "memprof/memprof.hpp"

#include "answers.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/coverage.hpp"

using namespace memprof::test;

namespace {

constexpr char in_use[] = "memprof_inuse_bytes";
constexpr char allocated[] = "memprof_allocated_bytes_total";

std::string bound(std::string name, char const* side) {
  name = name.substr(0, name.find("_total"));
  return name + "_bound{side=\"" + side + "\",confidence=\"0.95\"}";
}

/// Truth, value, lower and upper, of both amounts.
using seen = std::array<double, 8>;

/// Allocates 160 MiB in blocks that nobody touches, frees half of them, and reads the page. What
/// the program has besides is a few thousandths of that.
seen one_process(std::uint64_t seed) {
  memprof::set_seed(seed);
  memprof::serve::collect_stacks();
  std::mt19937_64 random(seed);
  std::vector<std::pair<void*, std::size_t>> blocks;
  double live = 0;
  double all = 0;
  for (int i = 0; i < 8000; ++i) {
    const std::size_t size = 1000 + random() % 40'000;
    void* const block = allocate(size);
    const auto counted =
        8.0 * static_cast<double>(
                  memprof::block_words(memprof::bytes(static_cast<std::int64_t>(size))).count());
    all += counted;
    if (i % 2 == 0) {
      blocks.emplace_back(block, size);
      live += counted;
    } else {
      release(block, size);
    }
  }
  const std::string page = get("/metrics").body;
  for (auto const& [block, size] : blocks) release(block, size);
  return {live,
          sample(page, in_use),
          sample(page, bound(in_use, "lower")),
          sample(page, bound(in_use, "upper")),
          all,
          sample(page, allocated),
          sample(page, bound(allocated, "lower")),
          sample(page, bound(allocated, "upper"))};
}

}  // namespace

TEST_CASE("process metrics: intervals hold the truth") {
  constexpr int processes = 400;
  coverage_count live("/metrics: in use", 0.05), all("/metrics: allocated", 0.05);
  for (std::uint64_t seed = 1; seed <= processes; ++seed) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
      const seen s = one_process(seed);
      _exit(write(ends[1], &s, sizeof s) == sizeof s ? 0 : 1);
    }
    close(ends[1]);
    seen s{};
    REQUIRE(read(ends[0], &s, sizeof s) == sizeof s);
    close(ends[0]);
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    live.add(s[0], s[1], s[2], s[3]);
    all.add(s[4], s[5], s[6], s[7]);
  }
  for (coverage_count const* c : {&live, &all}) {
    c->print();
    CHECK(c->misses() <= c->most_misses());
    CHECK(c->misses_on_a_side() <= c->most_misses_on_a_side());
  }
}
