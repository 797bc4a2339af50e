// SPDX-License-Identifier: MIT
//
// Library code, interrupted at each point: nothing is left behind, and the guarantees of the
// standard hold. What the standard does not promise is found to be broken.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"
#include "testing/check_report.hpp"
#include "testing/counted_containers.hpp"

namespace memprof::test {
namespace {

using testing::failure_kind;
using testing::for_each_interrupt;
using testing::interruption;

TEST_CASE("containers: filled, copied and changed", "[testing]") {
  auto const r = for_each_interrupt([] {
    vector_of<counted_string> texts;
    for (int i = 0; i < 9; ++i) texts.push_back(long_text(i));
    deque_of<counted_string> const queue(texts.begin(), texts.end());
    list_of<counted_string> list(texts.begin(), texts.end());
    list.sort();
    map_of<counted_string, vector_of<int>> map;
    for (auto const& text : texts) map[text].assign(50, 1);
    auto copy = map;
    copy.erase(copy.begin());
    hash_map_of<counted_string> hashed;
    for (auto const& text : queue) hashed.emplace(text, text);
    hashed.rehash(100);
    texts.insert(texts.begin() + 3, texts.begin(), texts.begin() + 4);
  });
  CHECK_REPORT(r);
  CHECK(r.points > 80);
}

TEST_CASE("containers: the strong guarantee of push_back, and of map's operator[]", "[testing]") {
  using texts = vector_of<counted_string>;
  CHECK_REPORT(for_each_interrupt(
      [] {
        return texts{long_text(1), long_text(2)};
      },
      [](texts& t) { t.push_back(long_text(3)); },
      [](texts& t, interruption const& run) {
        return t.size() == (run.completed() ? 3U : 2U) && t[0] == long_text(1) &&
               t[1] == long_text(2);
      }));
  using numbers = map_of<counted_string, int>;
  CHECK_REPORT(for_each_interrupt(
      [] { return numbers(); }, [](numbers& n) { n[long_text(1)] = 1; },
      [](numbers& n, interruption const& run) { return n.size() == (run.completed() ? 1U : 0U); }));
}

TEST_CASE("containers: insertion in the middle has no strong guarantee, and that is found",
          "[testing]") {
  using texts = vector_of<counted_string>;
  auto const r = for_each_interrupt(
      [] {
        texts t;
        t.reserve(10);
        t.assign({long_text(1), long_text(2)});
        return std::pair(std::move(t), texts{long_text(3), long_text(4)});
      },
      [](auto& t) { t.first.insert(t.first.begin(), t.second.begin(), t.second.end()); },
      [](auto& t, interruption const& run) {
        return t.first.size() == (run.completed() ? 4U : 2U);
      });
  INFO(r.message());
  REQUIRE_FALSE(r.ok());
  CHECK(r.first_failure->what == failure_kind::check_failed);
  CHECK(r.first_failure->ordinal == 1);
}

TEST_CASE("containers: algorithms and ownership", "[testing]") {
  CHECK_REPORT(for_each_interrupt([] {
    vector_of<counted_string> texts;
    for (int i = 0; i < 20; ++i) texts.push_back(long_text(19 - i));
    std::sort(texts.begin(), texts.end());
    std::sort(texts.begin(), texts.end(), [](auto a, auto b) { return a > b; });
    auto const all = std::accumulate(texts.begin(), texts.end(), counted_string());
    auto const shared = std::allocate_shared<vector_of<counted_string>>(
        allocator<vector_of<counted_string>>(), texts);
    auto const another = shared;
  }));
}

}  // namespace
}  // namespace memprof::test
