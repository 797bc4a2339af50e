// SPDX-License-Identifier: MIT
#include "endpoints/live_profile.hpp"

#include <memory>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/catch2.hpp"

using namespace memprof::endpoints;

namespace {

/// Of the rows with blocks of this size.
profile_row rows_of_size(profile_snapshot const& s, std::uint64_t words) {
  profile_row sum;
  for (profile_row const& r : s.rows) {
    if (r.words != words) continue;
    sum.allocated += r.allocated;
    sum.in_use += r.in_use;
  }
  return sum;
}

/// Not inlined, or the compiler leaves the allocation out.
[[gnu::noinline]] std::unique_ptr<char[]> untouched_block(std::size_t size) {
  return std::make_unique_for_overwrite<char[]>(size);
}

}  // namespace

TEST_CASE("live profile: rows by stack and size, in use and allocated") {
  begin_collecting(memprof::sampling_rate{1.0});
  begin_collecting(std::nullopt);  // does nothing
  {
    std::vector<std::unique_ptr<char[]>> kept;
    for (int i = 0; i < 100; ++i) kept.push_back(std::make_unique<char[]>(8 * 123));
    const profile_row sum = rows_of_size(take_snapshot(), 124);
    CHECK(sum.allocated >= 100 * 124);
    CHECK(sum.in_use >= 100 * 124);
    CHECK(sum.in_use < 110 * 124);
  }
  const profile_row sum = rows_of_size(take_snapshot(), 124);
  CHECK(sum.allocated >= 100 * 124);
  CHECK(sum.in_use < 10 * 124);
}

TEST_CASE("live profile: more rows than there is room for are summed by magnitude") {
  begin_collecting(memprof::sampling_rate{1.0});
  // Rows are told apart by size: one stack, 70 000 sizes; there is room for 65 536 rows.
  std::uint64_t words = 0;
  for (std::size_t n = 1; n <= 70'000; ++n) {
    const auto block = untouched_block(n * 8);
    words += n + 1;
  }
  const auto collected = samples_collected();
  REQUIRE(collected);
  CHECK(collected->without_stack > 0);
  const profile_snapshot s = take_snapshot();
  std::uint64_t sum = 0;
  for (profile_row const& r : s.rows) sum += r.allocated;
  CHECK(sum >= words);
  CHECK(sum <= samples_collected()->allocated);
}
