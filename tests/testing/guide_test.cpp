// SPDX-License-Identifier: MIT
//
// What docs/testing.md shows and examples/interruption does not: tests/testing/check_guide.py
// compares them.
#include <mutex>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"
#include "testing/counted_containers.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using testing::for_each_interrupt;
using testing::interruption;
using testing::is_unlocked;

struct guarded_cache {
  std::mutex& lock;
  map_of<counted_string, int> entries = {};
  void insert(counted_string const& key, int value) {
    const std::lock_guard guard(lock);
    entries[key] = value;
  }
  [[nodiscard]] bool is_consistent() {
    entries.clear();
    return true;
  }
};

TEST_CASE("guide: with a test framework", "[testing]") {
  std::mutex lock;
  guarded_cache cache{lock};
  auto const key = long_text(1);
  int const value = 1;
  // clang-format off
  auto const r = for_each_interrupt([&] { cache.insert(key, value); },
                                    [&] { return cache.is_consistent() && is_unlocked(lock); });
  INFO(r.message());
  REQUIRE(r.ok());
  // clang-format on
}

TEST_CASE("guide: all or nothing", "[testing]") {
  using store = vector_of<counted_string>;
  // clang-format off
  auto const r = for_each_interrupt(
      [] { return store(); },
      [](store& s) {
        store both{long_text(1), long_text(2)};
        s.swap(both);
      },
      [](store& s, interruption const& run) { return s.size() == (run.completed() ? 2U : 0U); }
  );
  // clang-format on
  INFO(r.message());
  CHECK(r.ok());
}

TEST_CASE("guide: one interrupt by hand", "[testing]") {
  bool prepared = false;
  bool worked = false;
  auto const prepare = [&] {
    churn(10_w);
    prepared = true;
  };
  auto const work = [&] {
    churn(1_w);
    worked = true;
  };
  auto const r = memprof::limit_memory(64_MiB, [&] {
    prepare();
    memprof::testing::force_interrupt();  // the next allocation is interrupted
    work();
  });
  CHECK_FALSE(r);
  CHECK(prepared);
  CHECK_FALSE(worked);
}

}  // namespace
}  // namespace memprof::test
