// SPDX-License-Identifier: MIT
/// \file
/// Accounts: who owns tracked blocks, and what they add up to.
///
/// A tracked block keeps a reference to its owner, so that a free by any thread at any time comes
/// off the right account, even after its scope has ended. A sum only ever changes by what a block's
/// own record holds, the same number in and out: it cannot drift.
#pragma once

#include <atomic>
#include <cstdint>

#include "memprof/detail/export.hpp"

#include "engine/contribution.hpp"

namespace memprof::engine {

struct stack_sums;

/// The sum over a set of live tracked blocks. Each member is exact, but a reader that runs while
/// others change them gets no consistent snapshot. (contribution.hpp has the units.)
struct live_sum {
  std::atomic<std::int64_t> weight{0};
  std::atomic<std::int64_t> fraction{0};
  std::atomic<std::int64_t> variance{0};
  std::atomic<std::int64_t> fine_variance{0};
  std::atomic<std::int64_t> uncertain{0};
  std::atomic<std::int64_t> blocks{0};

  void add(rounded_contribution const& c) noexcept {
    c.for_each(*this, [](std::atomic<std::int64_t>& sum, std::int64_t part) {
      sum.fetch_add(part, std::memory_order_relaxed);
    });
  }
  void subtract(rounded_contribution const& c) noexcept {
    c.for_each(*this, [](std::atomic<std::int64_t>& sum, std::int64_t part) {
      sum.fetch_sub(part, std::memory_order_relaxed);
    });
  }

  /// Bytes, without the last fraction of one: what limits are compared with.
  [[nodiscard]] std::int64_t whole_bytes() const noexcept {
    return weight.load(std::memory_order_relaxed) +
           (fraction.load(std::memory_order_relaxed) >> fraction_bits);
  }
};

/// The live memory of one task or one budget.
///
///  - `parent`: account of the enclosing task, charged as well; null at the outermost.
///  - `shared`: another account that is charged with it, and its ancestors, or null: that of the
///    budget that this task is part of; for a task that can pause, that of its resumer.
///  - `references`: one by each holder: the scope or budget, each tracked block, each child.
///    interval
/// bytes: the longest mean interval at which a thread may have sampled its blocks, or 0.
///             One that was not sampled stands for as much: it is not in the sum. Never shorter
///             than that of an account inside.
struct account {
  live_sum live;
  std::atomic<double> interval{0.0};
  account* parent = nullptr;
  account* shared = nullptr;
  std::atomic<std::uint32_t> references{0};
  std::uint32_t index = 0;
  bool by_stack = false;         ///< this account, or one that is charged with it, has `stacks`
  stack_sums* stacks = nullptr;  ///< its sums by call stack (stack_sums.hpp), or null
};

/// A new account with one reference, which takes references to `parent` and `shared` (both may be
/// null). Null if there is no memory.
///
/// with_stacks also sums by call stack what is charged to it.
account* open_account(account* parent, account* shared, bool with_stacks = false) noexcept;
account* retain(account* a) noexcept;
/// Drops a reference; the last one recycles the account and drops its own references.
MEMPROF_INTERNAL_API void release(account* a) noexcept;

/// Adds a block to `owner`, its ancestors and what they share; and subtracts it again.
void charge(account* owner, rounded_contribution const& c) noexcept;
void discharge(account* owner, rounded_contribution const& c) noexcept;

/// From now on a thread samples the blocks of `owner`, its ancestors and what they share at this
/// mean interval, in bytes.
/// \note Cost: a comparison, unless it is a longer one than before.
void note_interval(account* owner, double interval) noexcept;
/// The same for one sum: raises `longest` to `interval`. Whether it was shorter.
bool note_interval(std::atomic<double>& longest, double interval) noexcept;

}  // namespace memprof::engine
