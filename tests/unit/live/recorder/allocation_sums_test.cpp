// SPDX-License-Identifier: MIT
#include "recorder/allocation_sums.hpp"

#include <map>
#include <random>
#include <utility>

#include "support/catch2.hpp"

using namespace memprof::recorder;

TEST_CASE("allocation sums: a row for each stack and size") {
  allocation_sums sums;
  const backtrace one{1, 2}, other{2, 1};
  const auto a = sums.add(one, 10, 3);
  CHECK(sums.add(one, 10, 4) == a);
  const auto b = sums.add(one, 11, 5);
  const auto c = sums.add(other, 10, 6);
  const auto d = sums.add({}, 10, 7);  // no stack is one, too
  REQUIRE(sums.rows().size() == 4);
  CHECK(a != b);
  CHECK(sums.rows()[a].allocated == 7);
  CHECK(sums.rows()[a].in_use == 7);
  CHECK(*sums.rows()[a].stack == one);
  CHECK(sums.rows()[a].stack == sums.rows()[b].stack);  // kept once
  CHECK(sums.rows()[b].length == 11);
  CHECK(*sums.rows()[c].stack == other);
  CHECK(sums.rows()[d].stack->empty());
  CHECK(sums.allocated() == 25);

  sums.remove(a, 4);
  CHECK(sums.rows()[a].in_use == 3);
  CHECK(sums.rows()[a].allocated == 7);
  sums.remove_all();
  for (auto const& r : sums.rows()) CHECK(r.in_use == 0);
  CHECK(sums.allocated() == 25);
  CHECK(sums.add(one, 10, 1) == a);
  CHECK(sums.rows()[a].in_use == 1);
}

TEST_CASE("allocation sums: what finds no room is summed by the magnitude of its size") {
  allocation_sums sums(2);
  const auto a = sums.add({1}, 10, 1);
  const auto b = sums.add({2}, 10, 1);
  const auto small = sums.add({3}, 9, 1);
  CHECK(sums.add({4}, 15, 2) == small);
  const auto large = sums.add({3}, 16, 4);
  CHECK(large != small);
  CHECK(sums.rows()[small].stack == nullptr);
  CHECK(sums.rows()[small].length == 8);
  CHECK(sums.rows()[small].allocated == 3);
  CHECK(sums.rows()[large].length == 16);
  CHECK(sums.add({1}, 10, 1) == a);  // those that have rows keep them
  CHECK(sums.add({2}, 10, 1) == b);
  CHECK(sums.add({1}, 11, 1) == small);  // a new size of a known stack finds none
  CHECK(sums.add({1}, 0, 1) != small);
  CHECK(sums.add({1}, ~std::uint64_t{0}, 1) != large);
  CHECK(sums.rows().size() == 6);
}

TEST_CASE("allocation sums: the rows are bounded, and the sums are exact") {
  constexpr std::size_t most = 100;
  allocation_sums sums(most);
  std::mt19937_64 random(20261125);
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> expected;  // allocated, in use
  for (int i = 0; i < 20'000; ++i) {
    const backtrace stack(random() % 4, random() % 20);
    const std::uint64_t samples = 1 + random() % 5;
    const auto row = sums.add(stack, std::uint64_t{1} << random() % 40, samples);
    auto& [allocated, in_use] = expected[row];
    allocated += samples;
    in_use += samples;
    if (random() % 2 == 0) {
      sums.remove(row, samples);
      in_use -= samples;
    }
  }
  CHECK(sums.rows().size() <= most + 65);
  CHECK(sums.rows().size() > most);
  std::uint64_t all = 0;
  for (auto const& [row, sum] : expected) {
    CHECK(sums.rows()[row].allocated == sum.first);
    CHECK(sums.rows()[row].in_use == sum.second);
    all += sum.first;
  }
  CHECK(sums.allocated() == all);
}
