// SPDX-License-Identifier: MIT
#include "engine/account.hpp"

#include "base/base.hpp"

namespace memprof::engine {
namespace {

constinit base::index_pool<account> accounts;

}  // namespace

account* open_account(account* parent, account* shared) noexcept {
  const std::uint32_t index = accounts.acquire();
  if (index == 0) return nullptr;
  account& a = accounts[index];
  a.index = index;
  a.parent = retain(parent);
  a.shared = retain(shared);
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
    accounts.release(a->index);
    a = parent;
  }
}

void charge(account* owner, contribution const& c) noexcept {
  for (account* a = owner; a != nullptr; a = a->parent) {
    a->live.add(c);
    if (a->shared != nullptr) charge(a->shared, c);
  }
}

void discharge(account* owner, contribution const& c) noexcept {
  for (account* a = owner; a != nullptr; a = a->parent) {
    a->live.subtract(c);
    if (a->shared != nullptr) discharge(a->shared, c);
  }
}

}  // namespace memprof::engine
