// SPDX-License-Identifier: MIT
#include "callstack/rule_cache.hpp"

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::callstack;

TEST_CASE("packed_step: a kind and its numbers, up to the largest, in 29 bits") {
  for (const std::uint32_t n : {0u, 1u, 12345u, packed_step::most_n}) {
    for (const std::uint32_t k : {0u, 1u, packed_step::most_k}) {
      const packed_step step{step_kind::save_fp, n, k};
      CHECK(step.kind() == step_kind::save_fp);
      CHECK(step.n() == n);
      CHECK(step.k() == k);
      CHECK(step.bits() < 1u << 29);
      CHECK(packed_step::of_bits(step.bits() | 0xe0000000u).n() == n);
    }
  }
  CHECK(packed_step{}.kind() == step_kind::unknown);
}

TEST_CASE("rule_cache: finds what was stored last for a pc, and nothing for others") {
  auto const cache = std::make_unique<rule_cache>();
  constexpr std::uintptr_t pc = 0x7f00'1234'5678;
  CHECK(cache->find(pc).kind() == step_kind::unknown);
  cache->store(pc, {step_kind::by_sp, 7});
  CHECK(cache->find(pc).n() == 7);
  cache->store(pc, {step_kind::by_sp, 8});
  CHECK(cache->find(pc).n() == 8);
  CHECK(cache->find(pc + 1).kind() == step_kind::unknown);
  CHECK(cache->find(pc ^ std::uintptr_t{1} << 47).kind() == step_kind::unknown);
}

TEST_CASE("rule_cache: under more addresses than it holds, what it finds is always right") {
  auto const cache = std::make_unique<rule_cache>();
  std::mt19937_64 random{5};
  std::vector<std::uintptr_t> all(100'000);  // it has 32768 entries
  const auto number = [](std::uintptr_t pc) {
    return static_cast<std::uint32_t>(pc % packed_step::most_n);
  };
  for (std::uintptr_t& pc : all) {
    pc = random() >> 17;  // 47 bits
    cache->store(pc, {step_kind::by_sp, number(pc)});
    REQUIRE(cache->find(pc).n() == number(pc));
  }
  std::size_t kept = 0;
  for (const std::uintptr_t pc : all) {
    const packed_step step = cache->find(pc);
    if (step.kind() == step_kind::unknown) continue;
    REQUIRE(step.n() == number(pc));
    ++kept;
  }
  CHECK(kept > 25'000);
  CHECK(kept <= 32'768 + 100);  // some addresses may have been drawn twice
}
