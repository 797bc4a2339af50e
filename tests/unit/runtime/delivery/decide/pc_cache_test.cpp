// SPDX-License-Identifier: MIT
#include "delivery/decide/pc_cache.hpp"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::delivery;

namespace {

constexpr auto no_epoch = []() -> std::uint64_t { return 7; };

/// Facts that differ from any other's: every part is made from the same number.
pc_facts facts_of(std::uintptr_t pc) {
  return {{.cfa_offset = static_cast<std::int32_t>(pc % 100'000),
           .fp_offset = -static_cast<std::int32_t>(pc % 100'000),
           .cfa = static_cast<memprof::callstack::cfa_from>(pc % 4),
           .fp = static_cast<memprof::callstack::fp_in>(pc / 4 % 4),
           .outermost = pc % 2 != 0},
          static_cast<frame_verdict>(pc % 11)};
}

bool same(pc_facts const& a, pc_facts const& b) {
  return a.offsets() == b.offsets() && a.kinds() == b.kinds();
}

}  // namespace

TEST_CASE("pc_facts: come out as they went in") {
  const pc_facts facts{{.cfa_offset = -7,
                        .fp_offset = 1 << 30,
                        .cfa = memprof::callstack::cfa_from::at_fp,
                        .fp = memprof::callstack::fp_in::nowhere,
                        .outermost = true},
                       frame_verdict::unknown};
  CHECK(facts.step().cfa_offset == -7);
  CHECK(facts.step().fp_offset == 1 << 30);
  CHECK(facts.step().cfa == memprof::callstack::cfa_from::at_fp);
  CHECK(facts.step().fp == memprof::callstack::fp_in::nowhere);
  CHECK(facts.step().outermost);
  CHECK(facts.verdict() == frame_verdict::unknown);
  CHECK_FALSE(pc_facts{}.step().understood());
  CHECK(pc_facts{}.verdict() == frame_verdict::no_tables);
}

TEST_CASE("pc_cache: gives back what was stored") {
  auto cache = std::make_unique<pc_cache>();
  pc_facts found;
  CHECK_FALSE(cache->find(0x401234, no_epoch, found));
  for (std::uintptr_t pc = 0x401000; pc < 0x401400; pc += 5) cache->store(pc, 0, facts_of(pc));
  int kept = 0;
  for (std::uintptr_t pc = 0x401000; pc < 0x401400; pc += 5) {
    if (!cache->find(pc, no_epoch, found)) continue;
    ++kept;
    CHECK(same(found, facts_of(pc)));
  }
  CHECK(kept > 200);  // of 205; some share a set
}

TEST_CASE("pc_cache: an entry is good in its epoch; 0 is for ever") {
  auto cache = std::make_unique<pc_cache>();
  pc_facts found;
  cache->store(100, 7, facts_of(100));
  cache->store(200, 6, facts_of(200));
  cache->store(300, 0, facts_of(300));
  int asked = 0;
  const auto epoch = [&]() -> std::uint64_t { return ++asked, 7; };
  CHECK(cache->find(300, epoch, found));
  CHECK(asked == 0);
  CHECK(cache->find(100, epoch, found));
  CHECK_FALSE(cache->find(200, epoch, found));
  CHECK(asked == 2);
  cache->store(200, 7, facts_of(201));
  CHECK(cache->find(200, epoch, found));
  CHECK(same(found, facts_of(201)));
}

TEST_CASE("pc_cache: threads that store and find never see a mixture") {
  auto cache = std::make_unique<pc_cache>();
  std::atomic<int> wrong{0};
  std::atomic<long> hits{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::uint64_t random = t + 1;
      for (int i = 0; i < 200'000; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        // Few sets, many pcs: they drive each other out all the time.
        const std::uintptr_t pc = 1 + (random >> 40) % 40'000;
        pc_facts found;
        if (cache->find(pc, no_epoch, found)) {
          ++hits;
          if (!same(found, facts_of(pc))) ++wrong;
        } else {
          cache->store(pc, 0, facts_of(pc));
        }
      }
    });
  }
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(hits > 1000);
}
