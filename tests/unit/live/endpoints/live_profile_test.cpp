// SPDX-License-Identifier: MIT
#include "endpoints/live_profile.hpp"

#include <algorithm>
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

/// A block whose stack is one of 2^depth, by the bits of `path`.
[[gnu::noinline]] std::unique_ptr<char[]> by_path(unsigned path, unsigned depth) {
  if (depth == 0) return untouched_block(8);
  // Two calls, so two return addresses; neither is the last of the function.
  auto block = (path & 1) != 0 ? by_path(path >> 1, depth - 1) : nullptr;
  if (!block) block = by_path(path >> 1, depth - 1);
  block[0] = static_cast<char>(depth);
  return block;
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
  // 70 000 stacks that live; there is room for 65 536 rows.
  std::uint64_t words = 0;
  std::vector<std::unique_ptr<char[]>> kept;
  kept.reserve(70'000);
  for (unsigned n = 0; n < 70'000; ++n) {
    kept.push_back(by_path(n, 17));
    words += 2;
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

TEST_CASE("live profile: after ever new stacks a new leak has its stack") {
  begin_collecting(memprof::sampling_rate{1.0});
  const profile_snapshot before = take_snapshot();
  for (unsigned n = 0; n < 200'000; ++n) static_cast<void>(by_path(n, 18));
  const auto leak = untouched_block(8 * 4321);
  const profile_snapshot s = take_snapshot();
  const auto row = std::ranges::find(s.rows, 4322u, &profile_row::words);
  REQUIRE(row != s.rows.end());
  CHECK(row->in_use >= 4322);
  const stack_rows::holding held = hold_stacks();
  CHECK(frames_of(*row).size() > 1);
}
