// SPDX-License-Identifier: MIT
#include "base/guarded_slots.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/packed_slots.hpp"
#include "base/page_memory.hpp"
#include "support/catch2.hpp"
#include "support/free_range.hpp"
#include "support/sanitized.hpp"

using memprof::base::guarded_record;
using memprof::base::guarded_slots;
using memprof::base::guarded_table;
using memprof::test::is_mapped;

#if !MEMPROF_SANITIZED  // ThreadSanitizer ends programs that map anything elsewhere
namespace {

struct guarded_slots_of_test {
  std::unique_ptr<guarded_table> table = std::make_unique<guarded_table>();
  std::uintptr_t range = memprof::test::free_range();
  guarded_slots slots{*table, range, memprof::base::packed_slots::range_size};
  guarded_slots_of_test() { REQUIRE(slots.open() == guarded_slots::opened::now); }

  guarded_slots::slot acquire(std::size_t size, std::size_t alignment = 1) {
    guarded_slots::slot s = slots.acquire(size, alignment);
    if (s.record != nullptr) s.record->index.store(7);
    return s;
  }
  void free(guarded_slots::slot const& s) {
    s.record->index.store(guarded_record::changing);
    guarded_slots::unmap(s);
    slots.release(s);
  }
};

}  // namespace

TEST_CASE("guarded slots: a block ends at its pages' end, between pages without mapping") {
  guarded_slots_of_test test;
  const std::size_t page = memprof::base::whole_pages(1);
  for (std::size_t alignment : {std::size_t{1}, std::size_t{16}, std::size_t{256}, page}) {
    for (std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{16}, std::size_t{100}, page - 1, page,
          page + 1, 3 * page, 5 * page - 20, guarded_slots::largest}) {
      CAPTURE(alignment, size);
      const auto s = test.acquire(size, alignment);
      REQUIRE(s.record != nullptr);
      CHECK(s.record->size == size);
      CHECK(s.block() % std::max<std::size_t>(alignment, 16) == 0);
      CHECK(s.block_end() <= s.end);
      CHECK(s.end - s.block_end() <= std::max<std::size_t>(alignment, 16));
      CHECK(s.end % page == 0);
      std::memset(reinterpret_cast<void*>(s.block()), 1, size);
      const std::uintptr_t pages = guarded_slots::pages_of(s);
      CHECK(pages <= s.block());
      CHECK(pages >= s.begin + page);
      CHECK_FALSE(is_mapped(reinterpret_cast<void*>(pages - page)));
      CHECK_FALSE(is_mapped(reinterpret_cast<void*>(s.end)));
      for (std::uintptr_t at : {s.begin, pages, s.block(), s.end - 1}) {
        CHECK(test.slots.slot_at(at).record == s.record);
      }
      CHECK(test.slots.slot_at(s.end).record != s.record);
      CHECK(test.slots.before(test.slots.slot_at(s.end)).record == s.record);
      test.free(s);
      CHECK_FALSE(is_mapped(reinterpret_cast<void*>(pages)));
      CHECK(s.record->size == size);  // the report of a use after free wants it
    }
  }
  CHECK(test.slots.acquire(guarded_slots::largest + 1, 1).record == nullptr);
  CHECK(test.slots.acquire(1, 2 * page).record == nullptr);
}

TEST_CASE("guarded slots: the first of a class has none before it") {
  for (const std::size_t pages : {1U, 2U, 4U, 8U}) {
    guarded_slots_of_test test;
    const std::size_t size = pages * memprof::base::whole_pages(1);
    const auto first = test.acquire(size);
    const auto second = test.acquire(size);
    REQUIRE(second.record != nullptr);
    CHECK(test.slots.before(first).record == nullptr);
    CHECK(test.slots.before(second).record == first.record);
  }
}

TEST_CASE("guarded slots: at most so many blocks at once, over all classes") {
  guarded_slots_of_test test;
  std::vector<guarded_slots::slot> live;
  for (std::uint32_t i = 0; i < guarded_slots::most_live; ++i) {
    live.push_back(test.acquire(1 + i % 9000));
    REQUIRE(live.back().record != nullptr);
  }
  CHECK(test.acquire(1).record == nullptr);
  test.free(live.back());
  live.pop_back();
  live.push_back(test.acquire(1));
  CHECK(live.back().record != nullptr);
  CHECK(test.acquire(1).record == nullptr);
  for (auto const& s : live) test.free(s);
}

TEST_CASE("guarded slots: a freed slot is not used before a quarantine of many others") {
  guarded_slots_of_test test;
  std::set<guarded_record*> seen;
  // Once around the class, so that all that comes now was used before.
  for (int i = 0; i < 40'000; ++i) {
    const auto s = test.acquire(10);
    REQUIRE(s.record != nullptr);
    seen.insert(s.record);
    test.free(s);
  }
  CHECK(seen.size() > guarded_slots::quarantine);
  const auto first = test.acquire(10);
  test.free(first);
  for (std::uint32_t i = 1; i < guarded_slots::quarantine; ++i) {
    const auto s = test.acquire(10);
    REQUIRE(s.record != nullptr);
    REQUIRE(s.record != first.record);
    test.free(s);
  }
}

TEST_CASE("guarded slots: where there is no block nothing can be read or written") {
  guarded_slots_of_test test;
  const auto accessible = [&test] {  // the mappings in the range, bytes
    std::ifstream maps("/proc/self/maps");
    std::string range, flags, rest;
    std::size_t bytes = 0;
    while (maps >> range >> flags && std::getline(maps, rest)) {
      const std::uintptr_t begin = std::stoull(range, nullptr, 16);
      const std::uintptr_t end = std::stoull(range.substr(range.find('-') + 1), nullptr, 16);
      const bool in_range =
          begin >= test.range && begin < test.range + memprof::base::packed_slots::range_size;
      if (in_range && !flags.starts_with("---")) bytes += end - begin;
    }
    return bytes;
  };
  CHECK(accessible() == 0);
  const auto s = test.acquire(100);
  CHECK(accessible() == memprof::base::whole_pages(1));
  test.free(s);
  CHECK(accessible() == 0);
}

TEST_CASE("guarded slots: a second copy of the library has a region of its own") {
  guarded_slots_of_test one;
  guarded_slots_of_test other;
  CHECK(one.slots.open() == guarded_slots::opened::before);
  const auto s = one.acquire(100);
  CHECK(other.slots.slot_at(s.block()).record == nullptr);
  one.free(s);
}

#endif
