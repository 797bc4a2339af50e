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

namespace memprof::engine {

/// What one tracked block adds to every sum that it is part of.
///
/// weight      bytes: the unbiased estimate, its counted bytes / P(it was sampled).
/// variance    of that estimate in units of 1024 bytes^2, so that 64 bits hold any heap.
struct contribution {
  std::int64_t weight = 0;
  std::int64_t variance = 0;
};

/// The sum over a set of live tracked blocks. Each member is exact, but a reader that runs while
/// others change them gets no consistent snapshot.
struct live_sum {
  std::atomic<std::int64_t> weight{0};
  std::atomic<std::int64_t> variance{0};
  std::atomic<std::int64_t> blocks{0};

  void add(contribution const& c) noexcept {
    weight.fetch_add(c.weight, std::memory_order_relaxed);
    variance.fetch_add(c.variance, std::memory_order_relaxed);
    blocks.fetch_add(1, std::memory_order_relaxed);
  }
  void subtract(contribution const& c) noexcept {
    weight.fetch_sub(c.weight, std::memory_order_relaxed);
    variance.fetch_sub(c.variance, std::memory_order_relaxed);
    blocks.fetch_sub(1, std::memory_order_relaxed);
  }
};

/// The live memory of one task or one budget.
///
/// parent      account of the enclosing task, charged as well; null at the outermost.
/// shared      another account that is charged with it, and its ancestors, or null: that of the
///             budget that this task is part of; for a task that can pause, that of its resumer.
/// references  one by each holder: the scope or budget, each tracked block, each child.
struct account {
  live_sum live;
  account* parent = nullptr;
  account* shared = nullptr;
  std::atomic<std::uint32_t> references{0};
  std::uint32_t index = 0;
};

/// A new account with one reference, which takes references to `parent` and `shared` (both may be
/// null). Null if there is no memory.
account* open_account(account* parent, account* shared) noexcept;
account* retain(account* a) noexcept;
/// Drops a reference; the last one recycles the account and drops its own references.
MEMPROF_INTERNAL_API void release(account* a) noexcept;

/// Adds a block to `owner`, its ancestors and what they share; and subtracts it again.
void charge(account* owner, contribution const& c) noexcept;
void discharge(account* owner, contribution const& c) noexcept;

}  // namespace memprof::engine
