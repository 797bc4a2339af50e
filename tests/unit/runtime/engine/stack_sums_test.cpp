// SPDX-License-Identifier: MIT
#include "engine/stack_sums.hpp"

#include <array>

#include "engine/engine.hpp"
#include "support/catch2.hpp"

using namespace memprof::engine;

namespace {

constexpr rounded_contribution block{.weight = 800};

[[gnu::noinline]] std::uint32_t charge_from_one(account* a) {
  const std::uint32_t stack = charge_stack(a, __builtin_frame_address(0), block);
  asm volatile("# one");
  return stack;
}
[[gnu::noinline]] std::uint32_t charge_from_two(account* a) {
  const std::uint32_t stack = charge_stack(a, __builtin_frame_address(0), block);
  asm volatile("# two");
  return stack;
}

double total(account const& a, stack_amounts which, std::uint32_t stack) {
  std::array<stack_total, 16> found;
  const std::size_t n = largest_stacks(a, which, {}, other_stacks, found);
  for (std::size_t i = 0; i < n; ++i) {
    if (found[i].stack == stack) return found[i].amount.value;
  }
  return 0;
}

}  // namespace

TEST_CASE("stack_sums: the owner, its ancestors and what they share have them, if they want") {
  account* const budget = open_account(nullptr, nullptr, true);
  account* const outer = open_account(nullptr, budget);
  account* const inner = open_account(outer, nullptr, true);
  account* const plain = open_account(nullptr, nullptr);
  CHECK((budget->by_stack && outer->by_stack && inner->by_stack && !plain->by_stack));
  CHECK((outer->stacks == nullptr && plain->stacks == nullptr));
  std::uint32_t one = 0, two = 0;
  int volatile times = 3;  // one call, not three
  while (times > 0) {
    times = times - 1;
    one = charge_from_one(inner);
  }
  two = charge_from_two(outer);
  CHECK((one != 0 && two != 0 && one != two && one < other_stacks));
  CHECK(total(*inner, stack_amounts::live, one) == 2400);
  CHECK(total(*inner, stack_amounts::live, two) == 0);
  CHECK(total(*budget, stack_amounts::live, one) == 2400);
  CHECK(total(*budget, stack_amounts::live, two) == 800);
  discharge_stack(inner, one, block);
  CHECK(total(*inner, stack_amounts::live, one) == 1600);
  CHECK(total(*budget, stack_amounts::live, one) == 1600);
  CHECK(total(*budget, stack_amounts::allocated, one) == 2400);
  CHECK(frames_of_summed(one).size() > 1);
  CHECK(frames_of_summed(other_stacks).empty());
  for (account* a : {inner, outer, budget, plain}) release(a);
}

TEST_CASE("stack_sums: a table that is used again is empty") {
  account* const first = open_account(nullptr, nullptr, true);
  const std::uint32_t stack = charge_from_one(first);
  stack_sums* const table = first->stacks;
  release(first);
  account* const next = open_account(nullptr, nullptr, true);
  CHECK(next->stacks == table);
  CHECK(total(*next, stack_amounts::allocated, stack) == 0);
  account* const plain = open_account(nullptr, nullptr);
  CHECK(plain->stacks == nullptr);
  release(plain);
  release(next);
}

TEST_CASE("stack_sums: a coming block is part of the largest totals") {
  account* const a = open_account(nullptr, nullptr, true);
  const std::uint32_t stack = charge_from_one(a);
  std::array<stack_total, 2> found;
  CHECK(largest_stacks(*a, stack_amounts::live, {.weight = 50}, stack, found) == 1);
  CHECK(found[0].amount.value == 850);
  CHECK(largest_stacks(*a, stack_amounts::live, {.weight = 5000}, other_stacks, found) == 2);
  CHECK(found[0].stack == other_stacks);
  CHECK(found[0].amount.value == 5000);
  CHECK(found[1].stack == stack);
  CHECK(largest_stacks(*a, stack_amounts::live, {}, other_stacks, std::span(found).first(1)) == 1);
  release(a);
}
