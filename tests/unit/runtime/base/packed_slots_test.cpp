// SPDX-License-Identifier: MIT
#include "base/packed_slots.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/page_memory.hpp"
#include "support/catch2.hpp"
#include "support/free_range.hpp"
#include "support/sanitized.hpp"

using memprof::base::packed_slots;
using memprof::base::packed_table;
namespace size_classes = memprof::base::size_classes;

namespace {

/// A table of its own over a range. Tests of one process share the range: what one has left mapped
/// is for the next a mapping of others.
struct slots_of_test {
  std::unique_ptr<packed_table> table = std::make_unique<packed_table>();
  std::uintptr_t begin = memprof::test::free_range();
  packed_slots slots{*table, begin};

  packed_slots::place acquire(std::size_t size, std::size_t alignment = 1) {
    return slots.acquire(size_classes::class_of(size, alignment), size);
  }
};

std::uint32_t value_at(packed_slots const& slots, void const* address) {
  auto* const entry = slots.find(address).entry;
  return entry == nullptr ? 0 : entry->load();
}

void free_slot(packed_slots& slots, void* address) {
  const packed_slots::found slot = slots.find(address);
  slot.entry->store(0);
  slots.release(slot);
}

}  // namespace

TEST_CASE("packed_slots: blocks are aligned, apart, and found by their first byte alone") {
  slots_of_test test;
  std::mt19937_64 random{1};
  struct block {
    unsigned char* address;
    std::size_t size;
    std::uint32_t number;
  };
  std::vector<block> live;
  std::uint32_t numbers = 0;
  auto const check_and_free = [&](block const& b) {
    CHECK(value_at(test.slots, b.address) == b.number);
    CHECK(value_at(test.slots, b.address + 8) == 0);
    CHECK(packed_slots::capacity(test.slots.find(b.address)) >= b.size);
    if (b.size > 0) {
      CHECK(b.address[0] == static_cast<unsigned char>(b.number));
      CHECK(b.address[b.size - 1] == static_cast<unsigned char>(b.number >> 8));
    }
    free_slot(test.slots, b.address);
    CHECK(value_at(test.slots, b.address) == 0);
  };
  for (int i = 0; i < 60'000; ++i) {
    if (live.size() > 3000 || (!live.empty() && random() % 3 == 0)) {
      std::swap(live[random() % live.size()], live.back());
      check_and_free(live.back());
      live.pop_back();
      continue;
    }
    const std::uint64_t bits = random() % 100 < 98 ? random() % 14 : 14 + random() % 8;
    const std::size_t size = random() % (std::size_t{2} << bits);
    const std::size_t alignment = random() % 4 == 0 ? std::size_t{1} << random() % 18 : 1;
    const auto place = test.acquire(size, alignment);
    REQUIRE(place.address != nullptr);
    auto* const bytes = static_cast<unsigned char*>(place.address);
    CHECK(reinterpret_cast<std::uintptr_t>(bytes) % std::max<std::size_t>(alignment, 16) == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(bytes) - test.begin < packed_slots::range_size);
    CHECK(place.slot.entry->load() == 0);
    place.slot.entry->store(++numbers);
    if (size > 0) {
      if (place.zeroed) CHECK((bytes[0] == 0 && bytes[size - 1] == 0));
      bytes[0] = static_cast<unsigned char>(numbers);
      bytes[size - 1] = static_cast<unsigned char>(numbers >> 8);
      if (size == 1) bytes[0] = static_cast<unsigned char>(numbers);
    }
    live.push_back({bytes, size == 1 ? 0 : size, numbers});
  }
  for (block const& b : live) check_and_free(b);
}

TEST_CASE("packed_slots: addresses beside the range are nobody's") {
  slots_of_test test;
  REQUIRE(test.acquire(16).address != nullptr);
  for (const std::uintptr_t beside : {test.begin - 1, test.begin + packed_slots::range_size}) {
    const packed_slots::found slot = test.slots.find(reinterpret_cast<void*>(beside));
    CHECK_FALSE(slot.ours);
    CHECK(slot.entry == nullptr);
  }
}

TEST_CASE("packed_slots: a class that is new takes one area") {
  slots_of_test t;
  for (std::size_t const size : {1000u, 30'000u}) {
    REQUIRE(t.acquire(size).address != nullptr);
    auto const* const area = t.table->classes[size_classes::class_of(size, 1)].areas.load();
    REQUIRE(area != nullptr);
    CHECK(area->next == nullptr);
  }
}

TEST_CASE("packed_slots: slots of 80 bytes take 80 bytes, and their records 5") {
  slots_of_test test;
  auto* const first = static_cast<char*>(test.acquire(72, 1).address);
  char* last = first;
  for (int i = 1; i < 819; ++i) last = static_cast<char*>(test.acquire(72, 1).address);
  CHECK(last - first == 818 * 80);
  CHECK(memprof::base::slot_chunk::bytes_for(819) < 819 * 5);
}

TEST_CASE("packed_slots: large blocks have the memory that they ask for, and give it back") {
  slots_of_test test;
  constexpr std::size_t large = (std::size_t{200} << 20) + 5;
  const auto place = test.acquire(large, 1);
  REQUIRE(place.address != nullptr);
  CHECK(place.zeroed);
  CHECK(packed_slots::capacity(place.slot) == memprof::base::whole_pages(large));
  place.slot.entry->store(7);
  static_cast<char*>(place.address)[large - 1] = 1;
  free_slot(test.slots, place.address);
  CHECK_FALSE(memprof::test::is_mapped(place.address));
  const auto again = test.acquire(large, 1);
  CHECK(again.address == place.address);
  CHECK(again.zeroed);
  again.slot.entry->store(8);
  free_slot(test.slots, again.address);
  // A run is aligned as a whole.
  const auto aligned = test.acquire(100, std::size_t{256} << 20);
  REQUIRE(aligned.address != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(aligned.address) % (std::size_t{256} << 20) == 0);
  CHECK(test.acquire(std::size_t{1} << 50, 1).address == nullptr);
}

TEST_CASE("packed_slots: chunks that are empty give their pages back, but for a part") {
  constexpr std::size_t mib = std::size_t{1} << 20;
  // Eight times the largest, and at least 1 MiB and at most 64 MiB in all.
  for (auto const& [size, kept] : {std::pair{mib, 8}, std::pair{80 * mib / 1024, 12},
                                   std::pair{20 * mib, 3}, std::pair{60 * mib, 0}}) {
    CAPTURE(size);
    slots_of_test test;
    std::vector<void*> blocks;
    for (int i = 0; i < 40; ++i) {
      const auto place = test.acquire(size);
      REQUIRE(place.address != nullptr);
      place.slot.entry->store(1);
      static_cast<char*>(place.address)[size - 1] = 1;
      blocks.push_back(place.address);
    }
    for (void* block : blocks) free_slot(test.slots, block);
    int mapped = 0;
    for (void* block : blocks) mapped += memprof::test::is_mapped(block) ? 1 : 0;
    CHECK(mapped == kept);
    // What is kept is used first, or at least before anything new.
    const auto place = test.acquire(size);
    CHECK(std::find(blocks.begin(), blocks.end(), place.address) != blocks.end());
  }
}

TEST_CASE("packed_slots: no free area is left out") {
  slots_of_test test;
  std::vector<std::size_t> areas;
  for (unsigned c = 0; c < 20; ++c) {
    auto* const address = static_cast<char*>(test.slots.acquire(c, 1).address);
    REQUIRE(address != nullptr);
    areas.push_back((reinterpret_cast<std::uintptr_t>(address) - test.begin) /
                    size_classes::area_size);
  }
  std::ranges::sort(areas);
  for (std::size_t area = areas.front(); area < areas.back(); ++area) {
    if (std::ranges::binary_search(areas, area)) continue;
    // Another test's: it has a mapping at its end.
    CHECK(memprof::test::is_mapped(
        reinterpret_cast<char*>(test.begin + (area + 1) * size_classes::area_size - 1)));
  }
}

#if !MEMPROF_SANITIZED  // which reserve addresses of their own
TEST_CASE(
    "packed_slots: with no addresses left, empty chunks make room for blocks of other sizes") {
  slots_of_test t;
  pid_t const child = fork();
  if (child == 0) {
    std::size_t const in_use = [] {
      std::size_t pages = 0;
      std::ifstream("/proc/self/statm") >> pages;
      return pages * static_cast<std::size_t>(getpagesize());
    }();
    rlimit const limit{in_use + (std::size_t{24} << 20), in_use + (std::size_t{24} << 20)};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(1);
    void* const before = t.acquire(3000).address;
    std::size_t n = 0;
    std::vector<void*> blocks(40'000);
    while (n < blocks.size()) {
      void* const address = t.acquire(1000).address;
      if (address == nullptr) break;
      blocks[n++] = address;
    }
    if (before == nullptr || n < 1000 || n == blocks.size()) _exit(2);
    if (t.acquire(30'000).address != nullptr) _exit(3);
    for (std::size_t i = 0; i < n; ++i) free_slot(t.slots, blocks[i]);
    for (int i = 0; i < 300; ++i) {
      if (t.acquire(30'000).address == nullptr) _exit(4);
    }
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
#endif

TEST_CASE("packed_slots: mappings of others stay, and are not ours") {
  slots_of_test first;
  slots_of_test second;  // as another copy of the library
  std::vector<void*> ours;
  for (int i = 0; i < 3000; ++i) {
    for (auto* test : {&first, &second}) {
      const auto place = test->acquire(64, 1);
      REQUIRE(place.address != nullptr);
      place.slot.entry->store(1);
      *static_cast<char*>(place.address) = test == &first ? 1 : 2;
      ours.push_back(place.address);
    }
  }
  for (std::size_t i = 0; i < ours.size(); ++i) {
    CHECK(*static_cast<char*>(ours[i]) == static_cast<char>(1 + i % 2));
    CHECK(first.slots.find(ours[i]).ours == (i % 2 == 0));
    CHECK(second.slots.find(ours[i]).ours == (i % 2 == 1));
  }
  // In the middle of an area: the next chunk is taken instead.
  auto const chunk = reinterpret_cast<std::uintptr_t>(ours[0]) & ~std::uintptr_t{0xffff};
  std::vector<void*> foreign;
  for (std::uintptr_t at = chunk; at < chunk + (1 << 22); at += 1 << 16) {
    if (memprof::base::map_pages_at(at, 4096, true) == 0) {
      foreign.push_back(reinterpret_cast<void*>(at));
      *static_cast<char*>(foreign.back()) = 3;
    }
  }
  CHECK_FALSE(foreign.empty());
  for (int i = 0; i < 80'000; ++i) {
    const auto place = first.acquire(64, 1);
    REQUIRE(place.address != nullptr);
    *static_cast<char*>(place.address) = 1;
  }
  for (void* page : foreign) {
    CHECK(*static_cast<char*>(page) == 3);
    memprof::base::unmap_pages(page, 4096);
  }
}

#if !MEMPROF_SANITIZED
TEST_CASE(
    "packed_slots: a range that is taken, or out of the processor's addresses, is said to be so") {
  auto table = std::make_unique<packed_table>();
  packed_slots nowhere{*table, std::uintptr_t{0x3ff000} << packed_slots::range_bits};
  CHECK_FALSE(nowhere.unavailable());
  CHECK(nowhere.acquire(size_classes::class_of(64), 64).address == nullptr);
  CHECK(nowhere.unavailable());
  auto other = std::make_unique<packed_table>();
  packed_slots nowhere_large{*other, std::uintptr_t{0x3ff000} << packed_slots::range_bits};
  CHECK(nowhere_large.acquire(size_classes::class_of(std::size_t{1} << 30), 1).address == nullptr);
  CHECK(nowhere_large.unavailable());
}
#endif

TEST_CASE("packed_slots: threads that pass blocks to each other never share one") {
  slots_of_test test;
  constexpr std::size_t places = 256;
  struct box {
    std::atomic<unsigned char*> block{nullptr};
  };
  std::vector<box> boxes(places);
  std::atomic<int> wrong{0};
  auto const work = [&](std::uint64_t seed) {
    std::mt19937_64 random{seed};
    for (int i = 0; i < 30'000; ++i) {
      const std::size_t size = 16 + random() % (random() % 50 == 0 ? 300'000 : 2'000);
      const auto place = test.acquire(size, 1);
      auto* const bytes = static_cast<unsigned char*>(place.address);
      if (bytes == nullptr || place.slot.entry->exchange(1) != 0) {
        ++wrong;
        continue;
      }
      std::memset(bytes, static_cast<int>(seed), 16);
      bytes[size - 1] = static_cast<unsigned char>(seed);
      auto* const old = boxes[random() % places].block.exchange(bytes);
      if (old == nullptr) continue;
      for (int j = 1; j < 8; ++j) wrong += old[j] != old[0];
      std::memset(old, 0xff, 16);
      const packed_slots::found slot = test.slots.find(old);
      if (slot.entry->exchange(0) != 1) ++wrong;
      test.slots.release(slot);
    }
  };
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) threads.emplace_back(work, seed);
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}
