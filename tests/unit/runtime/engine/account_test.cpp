// SPDX-License-Identifier: MIT
#include "engine/account.hpp"

#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::engine;

namespace {

constexpr rounded_contribution small{.weight = 80'000, .variance = 3};
constexpr rounded_contribution large{.weight = 5'000'000, .variance = 0};

void check_sum(account const& a, std::int64_t weight, std::int64_t variance, std::int64_t blocks) {
  CHECK(a.live.weight.load() == weight);
  CHECK(a.live.variance.load() == variance);
  CHECK(a.live.blocks.load() == blocks);
}

}  // namespace

TEST_CASE("account: a block is charged to the owner, its ancestors and what they share") {
  account* const resumer = open_account(nullptr, nullptr);
  account* const budget = open_account(nullptr, resumer);
  account* const outer = open_account(nullptr, budget);
  account* const inner = open_account(outer, nullptr);
  charge(inner, small);
  charge(outer, large);
  check_sum(*inner, 80'000, 3, 1);
  for (account const* a : {outer, budget, resumer}) check_sum(*a, 5'080'000, 3, 2);
  discharge(outer, large);
  discharge(inner, small);
  for (account const* a : {inner, outer, budget, resumer}) check_sum(*a, 0, 0, 0);
  charge(nullptr, small);  // a block without an owner
  for (account* a : {inner, outer, budget, resumer}) release(a);
}

TEST_CASE("account: it lives until its last holder lets go, and its children keep it") {
  account* const parent = open_account(nullptr, nullptr);
  account* const shared = open_account(nullptr, nullptr);
  account* const child = open_account(parent, shared);
  release(parent);
  release(shared);
  CHECK(parent->references.load() == 1);
  CHECK(shared->references.load() == 1);
  CHECK(retain(child) == child);
  release(child);
  CHECK(child->parent == parent);
  release(child);
  CHECK(child->parent == nullptr);
  CHECK(parent->references.load() == 0);
  CHECK(shared->references.load() == 0);
  CHECK(retain(nullptr) == nullptr);
  release(nullptr);
  // Recycled, last in, first out.
  account* const next = open_account(nullptr, nullptr);
  CHECK((next == parent || next == shared || next == child));
  release(next);
}

TEST_CASE("account: the longest mean interval is that of all who share it, never forgotten") {
  account* const budget = open_account(nullptr, nullptr);
  account* const outer = open_account(nullptr, budget);
  account* const inner = open_account(outer, nullptr);
  CHECK(inner->interval == 0.0);
  note_interval(outer, 800.0);
  for (account* a : {outer, budget}) CHECK(a->interval == 800.0);
  CHECK(inner->interval == 0.0);
  note_interval(inner, 80.0);
  CHECK(inner->interval == 80.0);
  for (account* a : {outer, budget}) CHECK(a->interval == 800.0);
  note_interval(inner, 80'000.0);
  for (account* a : {inner, outer, budget}) CHECK(a->interval == 80'000.0);
  note_interval(nullptr, 80.0);
  for (account* a : {inner, outer, budget}) release(a);
  account* const next = open_account(nullptr, nullptr);  // recycled
  CHECK(next->interval == 0.0);
  release(next);
}

TEST_CASE("account: sums do not drift, whichever threads charge and discharge") {
  account* const owner = open_account(nullptr, nullptr);
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t) {
    all.emplace_back([=] {
      for (int i = 0; i < 10'000; ++i) (t % 2 == 0 ? charge : discharge)(owner, small);
    });
  }
  for (std::thread& t : all) t.join();
  check_sum(*owner, 0, 0, 0);
  release(owner);
}

TEST_CASE("account: a deep chain is released without recursion") {
  account* innermost = nullptr;
  for (int i = 0; i < 200'000; ++i) {
    account* const next = open_account(innermost, nullptr);
    REQUIRE(next != nullptr);
    release(innermost);
    innermost = next;
  }
  release(innermost);
  SUCCEED();
}
