// SPDX-License-Identifier: MIT
#include "engine/stack_sums.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/base.hpp"
#include "callstack/callstack.hpp"
#include "engine/totals.hpp"

namespace memprof::engine {

/// A hash table with open addressing. A stack that has a row keeps it until the account ends, so a
/// stack that once found no room never finds some later: its frees come off the last row, too.
struct stack_sums {
  static constexpr std::size_t rows = 512;
  static constexpr std::size_t longest_search = 64;

  struct row {
    std::atomic<std::uint32_t> stack{0};  ///< 0: free. Orders nothing
    live_sum live;
    live_sum allocated;
  };

  std::uint32_t index = 0;
  std::array<row, rows + 1> all;  ///< the last one: other_stacks

  row& row_of(std::uint32_t stack) noexcept {
    if (stack == other_stacks) return all[rows];
    std::size_t at = (stack * 0x9e37'79b9u) >> 23;
    static_assert(rows == 1u << (32 - 23));
    for (std::size_t i = 0; i < longest_search; ++i, at = (at + 1) % rows) {
      std::uint32_t seen = all[at].stack.load(std::memory_order_relaxed);
      if (seen == 0 &&
          all[at].stack.compare_exchange_strong(seen, stack, std::memory_order_relaxed)) {
        return all[at];
      }
      if (seen == stack) return all[at];
    }
    return all[rows];
  }
};

namespace {

constexpr std::uint32_t stack_chunks = 64;  // 64 MiB
static_assert(std::uint64_t{stack_chunks} * callstack::stack_table::chunk_words < other_stacks);

constinit callstack::stack_table stacks{stack_chunks};
constinit base::index_pool<stack_sums, 0> tables;

std::uint32_t stack_from(void const* frame) noexcept {
  std::array<std::uintptr_t, frames_of_summed_stack> frames;
  const std::uint32_t stack =
      stacks.intern(std::span(frames).first(callstack::capture(frames, frame)));
  return stack != 0 ? stack : other_stacks;
}

/// change(sums) for each table that a block of `owner` is part of.
template <class Change>
void for_each_table(account* owner, Change const& change) noexcept {
  for (account* a = owner; a != nullptr && a->by_stack; a = a->parent) {
    if (a->stacks != nullptr) change(*a->stacks);
    if (a->shared != nullptr) for_each_table(a->shared, change);
  }
}

}  // namespace

stack_sums* open_stack_sums() noexcept {
  const std::uint32_t index = tables.acquire();
  if (index == 0) return nullptr;
  stack_sums& s = tables[index];
  s.index = index;
  return &s;
}

void close_stack_sums(stack_sums* s) noexcept {
  for (stack_sums::row& r : s->all) {
    const auto clear = [](live_sum& sum) {
      for (auto* const part : {&sum.weight, &sum.fraction, &sum.variance, &sum.fine_variance,
                               &sum.uncertain, &sum.blocks}) {
        part->store(0, std::memory_order_relaxed);
      }
    };
    if (r.stack.load(std::memory_order_relaxed) == 0 && &r != &s->all.back()) continue;
    r.stack.store(0, std::memory_order_relaxed);
    clear(r.live);
    clear(r.allocated);
  }
  tables.release(s->index);
}

std::uint32_t charge_stack(account* owner, void const* frame,
                           rounded_contribution const& c) noexcept {
  const std::uint32_t stack = stack_from(frame);
  for_each_table(owner, [&](stack_sums& s) {
    stack_sums::row& r = s.row_of(stack);
    r.live.add(c);
    r.allocated.add(c);
  });
  return stack;
}

void discharge_stack(account* owner, std::uint32_t stack, rounded_contribution const& c) noexcept {
  for_each_table(owner, [&](stack_sums& s) { s.row_of(stack).live.subtract(c); });
}

std::uint32_t stack_of(coming_block const& b) noexcept {
  return b.counts.weight > 0 ? stack_from(b.frame) : other_stacks;
}

std::size_t largest_stacks(account const& a, stack_amounts which, contribution const& coming,
                           std::uint32_t stack_of_coming, std::span<stack_total> into) noexcept {
  stack_sums::row const& of_coming = a.stacks->row_of(stack_of_coming);
  std::size_t found = 0;
  for (stack_sums::row const& r : a.stacks->all) {
    amounts sum;
    sum.add(which == stack_amounts::live ? r.live : r.allocated);
    const bool is_coming = &r == &of_coming && coming.weight > 0;
    if (sum.blocks <= 0 && !is_coming) continue;
    const bool is_other = &r == &a.stacks->all.back();
    const stack_total total{
        .stack = is_other ? other_stacks : r.stack.load(std::memory_order_relaxed),
        .amount = amount_of(a, sum, is_coming ? coming : contribution{})};
    if (found == into.size()) {
      if (found == 0 || total.amount.value <= into[found - 1].amount.value) continue;
      --found;
    }
    std::size_t at = found++;
    for (; at > 0 && into[at - 1].amount.value < total.amount.value; --at) into[at] = into[at - 1];
    into[at] = total;
  }
  return found;
}

std::span<std::uintptr_t const> frames_of_summed(std::uint32_t stack) noexcept {
  return stack == other_stacks ? std::span<std::uintptr_t const>{} : stacks.frames_of(stack);
}

}  // namespace memprof::engine
