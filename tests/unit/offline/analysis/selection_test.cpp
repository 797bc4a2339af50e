// SPDX-License-Identifier: MIT
#include "analysis/selection.hpp"

#include <chrono>
#include <vector>

#include "analysis/trace_source.hpp"
#include "support/catch2.hpp"
#include "support/traces.hpp"

using namespace memprof::analysis;
using std::chrono::microseconds;

TEST_CASE("a set of objects") {
  object_set set;
  for (const std::uint64_t id : {70'000U, 5U, 4096U, 5U}) set.insert(id);
  CHECK(set.size() == 3);
  CHECK(set.contains(5));
  CHECK(set.contains(70'000));
  CHECK_FALSE(set.contains(6));
  CHECK_FALSE(set.contains(70'001));
  CHECK_FALSE(set.contains(~std::uint64_t{0}));
}

TEST_CASE("the viewer's filters choose the viewer's objects") {
  const auto file = memprof::test::traces_directory() / "viewer_test_repo.ctf";
  const auto chosen = [&](selection const& s) {
    trace_source source(file.string(), false);
    const block_choice choice = select_by_fate(source, s);
    std::vector<int> ids;
    for (int i = 0; i < 200; ++i) {
      if (choice.counted(static_cast<std::uint64_t>(i), 1) > 0) ids.push_back(i);
    }
    return ids;
  };
  selection s;
  s.size_bytes.from = 1025;
  CHECK(chosen(s) == std::vector<int>{36});
  s = {};
  s.lifetime.to = microseconds(4);
  CHECK(chosen(s) == std::vector<int>{27, 30, 34, 37, 39, 42, 44, 45, 46, 48, 51});
  s = {};
  s.heaps.minor = false;
  CHECK(chosen(s) == std::vector<int>{0,  1,  4,  5,  6,  7,  9,  14, 15, 21, 22, 23, 25, 28, 29,
                                      31, 32, 33, 35, 36, 38, 40, 41, 43, 47, 49, 50, 52, 53});
  s = {};
  s.heaps = {true, false, false};
  CHECK(chosen(s).size() == 53);
}
