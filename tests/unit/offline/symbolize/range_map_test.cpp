// SPDX-License-Identifier: MIT
#include "symbolize/range_map.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "support/catch2.hpp"

using memprof::symbolize::range_map;

namespace {

struct range {
  std::uint64_t low;
  std::uint64_t high;
};

/// The rule as the header states it: the range that begins last, else the shortest, else the one
/// that was added last. Its value is its index.
std::optional<std::uint32_t> by_the_rule(std::vector<range> const& all, std::uint64_t address) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (address < all[i].low || address >= all[i].high) continue;
    if (!best || all[i].low > all[*best].low ||
        (all[i].low == all[*best].low && all[i].high <= all[*best].high)) {
      best = i;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("range_map: nothing covers anything") {
  range_map map;
  map.add(7, 7, 1);  // empty
  map.add(9, 8, 2);  // the wrong way round
  map.finish();
  CHECK(map.size() == 0);
  CHECK_FALSE(map.find(0));
  CHECK_FALSE(map.find(7));
  CHECK_FALSE(map.find(~std::uint64_t{0}));
}

TEST_CASE("range_map: an end is not covered, and the ends of the address space are addresses") {
  range_map map;
  map.add(0, 2, 1);
  map.add(10, 12, 2);
  map.add(12, 13, 3);
  map.add(~std::uint64_t{0} - 1, ~std::uint64_t{0}, 4);
  map.finish();
  CHECK(map.find(0) == 1);
  CHECK(map.find(1) == 1);
  CHECK_FALSE(map.find(2));
  CHECK_FALSE(map.find(9));
  CHECK(map.find(11) == 2);
  CHECK(map.find(12) == 3);
  CHECK_FALSE(map.find(13));
  CHECK(map.find(~std::uint64_t{0} - 1) == 4);
  CHECK_FALSE(map.find(~std::uint64_t{0}));
}

TEST_CASE("range_map: ranges that nest and overlap, by the rule") {
  constexpr std::uint64_t end = 40;
  std::mt19937 random{3};
  for (int round = 0; round < 2'000; ++round) {
    std::vector<range> all(random() % 13);
    range_map map;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      const std::uint64_t low = random() % end;
      all[i] = {low, low + random() % 9};
      map.add(all[i].low, all[i].high, i);
    }
    map.finish();
    for (std::uint64_t address = 0; address < end + 10; ++address) {
      CAPTURE(round, address);
      REQUIRE(map.find(address) == by_the_rule(all, address));
    }
  }
}
