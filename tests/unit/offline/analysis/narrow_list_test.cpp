// SPDX-License-Identifier: MIT
#include "analysis/narrow_list.hpp"

#include <random>

#include "support/catch2.hpp"

using memprof::analysis::narrow_list;

TEST_CASE("a narrow list holds numbers of any width, in all of its chunks") {
  std::mt19937 random(5);
  narrow_list list;
  std::vector<std::uint32_t> expected;
  for (std::size_t i = 0; i < 400'000; ++i) {
    // Chunks without a wide number, with few, and with many.
    const bool wide = i > 100'000 && random() % (i > 300'000 ? 3 : 30'000) == 0;
    const auto number = wide ? 65'535 + random() % 3 * 1'000'000 : random() % 65'536;
    expected.push_back(static_cast<std::uint32_t>(number));
    list.push_back(expected.back());
  }
  REQUIRE(list.size() == expected.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) different += list[i] != expected[i];
  CHECK(different == 0);
}
