// SPDX-License-Identifier: MIT
#include "analysis/series.hpp"

#include <chrono>
#include <cstdint>
#include <random>

#include "support/catch2.hpp"

using namespace memprof::analysis;
using std::chrono::microseconds;

TEST_CASE("series: bounded, and the same whatever the order of events and the number of steps") {
  series_builder s;
  std::mt19937_64 random(2);
  std::uint64_t allocated = 0, freed = 0;
  for (int i = 0; i < 20'000; ++i) {
    const microseconds at{static_cast<std::int64_t>(random() % 50'000'000)};
    s.allocated(at, 3);
    allocated += 3;
    if (i % 2 == 0) {
      s.freed(at + microseconds{1'000'000}, 3);
      freed += 3;
    }
  }
  const time_series r = s.finish();
  CHECK(r.steps.size() <= series_builder::most);
  CHECK(r.steps.size() > series_builder::most / 4);
  std::uint64_t sum = 0;
  for (auto const& step : r.steps) sum += step.allocated;
  CHECK(sum == allocated);
  CHECK(r.steps.back().live == allocated - freed);
}
