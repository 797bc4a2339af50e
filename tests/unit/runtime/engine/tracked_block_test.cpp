// SPDX-License-Identifier: MIT
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "support/catch2.hpp"

using namespace memprof::engine;

namespace {

/// Tracks a block of `words` words as the slow path of an allocation does.
std::uint32_t track_words(std::int64_t words) {
  current.countdown -= words;
  const event e{words};
  return track({.address = nullptr,
                .raw = nullptr,
                .slot = 0,
                .from = source::malloc,
                .size = static_cast<std::size_t>(words - 1) * 8,
                .counted_words = words,
                .n_samples = 1});
}

std::int64_t minor() { return minor_in_use().weight; }
std::int64_t major() { return process_totals.major.weight.load(); }

/// Lets this thread's position move on by `words`.
void allocate_words(std::int64_t words) {
  for (std::int64_t i = 0; i < words; i += 100) {
    current.countdown -= 100;
    const event e{100};
  }
}

struct exact_rate {
  exact_rate() {
    ensure_started();
    configure_process_rate(1.0);
    rearm();
  }
  ~exact_rate() { configure_process_rate(1e-4); }
};

}  // namespace

TEST_CASE("tracked blocks: 256 words is minor, 257 is major") {
  const exact_rate rate;
  const std::int64_t minor_before = minor();
  const std::int64_t major_before = major();
  const std::uint32_t small = track_words(256);
  CHECK(minor() - minor_before == 256 * 8);
  CHECK(major() == major_before);
  const std::uint32_t large = track_words(257);
  CHECK(major() - major_before == 257 * 8);
  untrack(small, nullptr);
  untrack(large, nullptr);
  CHECK(minor() == minor_before);
  CHECK(major() == major_before);
}

TEST_CASE("tracked blocks: promoted after a nursery's worth, if still live") {
  const exact_rate rate;
  const std::int64_t major_before = major();
  const std::uint64_t promotions = process_totals.promotions.load();
  const std::uint32_t stays = track_words(10);
  const std::uint32_t dies = track_words(10);
  untrack(dies, nullptr);
  allocate_words(255'000);
  CHECK(process_totals.promotions.load() == promotions);
  allocate_words(2'000);
  CHECK(process_totals.promotions.load() == promotions + 1);
  CHECK(major() - major_before == 80);
  untrack(stays, nullptr);
  CHECK(major() == major_before);
}

TEST_CASE("tracked blocks: thread exit promotes what is left") {
  const exact_rate rate;
  const std::int64_t minor_before = minor();
  const std::int64_t major_before = major();
  std::uint32_t left = 0;
  std::thread([&] { left = track_words(10); }).join();
  CHECK(minor() == minor_before);
  CHECK(major() - major_before == 80);
  untrack(left, nullptr);
  CHECK(major() == major_before);
}

TEST_CASE("accounts: a block comes off its owner, the ancestors and the budget, after they ended") {
  const exact_rate rate;
  account* budget = open_account(nullptr, nullptr);
  account* outer = open_account(nullptr, budget);
  account* inner = open_account(outer, nullptr);
  current.owner = inner;
  const std::uint32_t block = track_words(100);
  current.owner = nullptr;
  CHECK(inner->live.weight == 800);
  CHECK(outer->live.weight == 800);
  CHECK(budget->live.weight == 800);
  release(inner);
  CHECK(outer->live.weight == 800);
  std::thread([&] { untrack(block, nullptr); }).join();
  CHECK(outer->live.weight == 0);
  CHECK(budget->live.weight == 0);
  CHECK(budget->live.blocks == 0);
  release(outer);
  release(budget);
}

// Owner threads track and promote, others free at the same moment: every block is counted in one
// place, and at the end in none.
TEST_CASE("tracked blocks: frees race with promotions and thread exits") {
  const exact_rate rate;
  nursery_words = 500;
  const std::int64_t minor_before = minor();
  const std::int64_t major_before = major();
  constexpr std::size_t length = 64;
  static std::atomic<std::uint32_t> ring[length]{};
  std::atomic<bool> done{false};
  std::thread freer([&] {
    while (!done) {
      for (auto& place : ring) {
        if (const std::uint32_t block = place.exchange(0)) untrack(block, nullptr);
      }
    }
  });
  for (int t = 0; t < 20; ++t) {
    std::thread([&] {
      for (std::size_t i = 0; i < 5'000; ++i) {
        if (const auto old = ring[i % length].exchange(track_words(10))) untrack(old, nullptr);
      }
    }).join();
  }
  done = true;
  freer.join();
  for (auto& place : ring) {
    if (const std::uint32_t block = place.exchange(0)) untrack(block, nullptr);
  }
  nursery_words = 256'000;
  CHECK(minor() == minor_before);
  CHECK(major() == major_before);
}
