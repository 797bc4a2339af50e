// SPDX-License-Identifier: MIT
#include "analysis/object_table.hpp"

#include <cstdint>
#include <map>
#include <random>

#include "support/catch2.hpp"

using namespace memprof::analysis;

TEST_CASE("a table of objects is a map") {
  std::mt19937_64 random(7);
  object_table<std::uint64_t> table;
  std::map<std::uint64_t, std::uint64_t> map;
  for (int i = 0; i < 100'000; ++i) {
    // Ids near each other, and some beyond what is indexed without hashing.
    const std::uint64_t id = random() % 2000 + (random() % 8 == 0 ? std::uint64_t{1} << 40 : 0);
    std::uint64_t* const found = table.find(id);
    const auto expected = map.find(id);
    REQUIRE((found != nullptr) == (expected != map.end()));
    if (found == nullptr) {
      table.insert(id) = map[id] = random();
    } else {
      REQUIRE(*found == expected->second);
      table.erase(id);
      map.erase(expected);
    }
    REQUIRE(table.size() == map.size());
  }
  std::map<std::uint64_t, std::uint64_t> seen;
  table.for_each([&](std::uint64_t id, std::uint64_t value) { seen[id] = value; });
  CHECK(seen == map);
}
