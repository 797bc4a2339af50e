// SPDX-License-Identifier: MIT
#include "engine/account.hpp"

#include "base/base.hpp"
#include "engine/stack_sums.hpp"

namespace memprof::engine {
namespace {

constinit base::index_pool<account> accounts;

}  // namespace

account* open_account(account* parent, account* shared, bool with_stacks) noexcept {
  const std::uint32_t index = accounts.acquire();
  if (index == 0) return nullptr;
  account& a = accounts[index];
  a.index = index;
  if (with_stacks) {
    a.stacks = open_stack_sums();
    if (a.stacks == nullptr) {
      accounts.release(index);
      return nullptr;
    }
  }
  a.by_stack = with_stacks || (parent != nullptr && parent->by_stack) ||
               (shared != nullptr && shared->by_stack);
  a.parent = retain(parent);
  a.shared = retain(shared);
  a.interval.store(0.0, std::memory_order_relaxed);
  a.references.store(1, std::memory_order_relaxed);
  return &a;
}

account* retain(account* a) noexcept {
  if (a != nullptr) a->references.fetch_add(1, std::memory_order_relaxed);
  return a;
}

void release(account* a) noexcept {
  // A loop along the parents, not a recursion: scopes may nest to any depth. The inner call
  // goes one level deep for a budget, and as deep as tasks resume tasks.
  while (a != nullptr && a->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    account* parent = a->parent;
    release(a->shared);
    a->parent = nullptr;
    a->shared = nullptr;
    if (a->stacks != nullptr) {
      close_stack_sums(a->stacks);
      a->stacks = nullptr;
    }
    accounts.release(a->index);
    a = parent;
  }
}

void charge(account* owner, rounded_contribution const& c) noexcept {
  for (account* a = owner; a != nullptr; a = a->parent) {
    a->live.add(c);
    if (a->shared != nullptr) charge(a->shared, c);
  }
}

void discharge(account* owner, rounded_contribution const& c) noexcept {
  for (account* a = owner; a != nullptr; a = a->parent) {
    a->live.subtract(c);
    if (a->shared != nullptr) discharge(a->shared, c);
  }
}

bool note_interval(std::atomic<double>& longest, double interval) noexcept {
  double seen = longest.load(std::memory_order_relaxed);
  while (seen < interval) {
    if (longest.compare_exchange_weak(seen, interval, std::memory_order_relaxed)) return true;
  }
  return false;
}

void note_interval(account* owner, double interval) noexcept {
  // Where it is known already, it is known further out, too.
  for (account* a = owner; a != nullptr && note_interval(a->interval, interval); a = a->parent) {
    if (a->shared != nullptr) note_interval(a->shared, interval);
  }
}

}  // namespace memprof::engine
