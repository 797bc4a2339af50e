// SPDX-License-Identifier: MIT
#include "limits/global_limit.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/base.hpp"
#include "copies/copies.hpp"
#include "engine/engine.hpp"
#include "limits/check_arguments.hpp"

namespace memprof::inline v0 {
namespace detail {
namespace {

constinit std::atomic<std::int64_t> global_limit{unlimited};
constinit std::atomic<victim> policy{victim::allocating};

// Guards the list and the choice. Held inside malloc for some loads and stores. After every single
// store the list can be walked forwards, so a forked child may reset the lock.
constinit base::spin_lock registry_lock;
constinit scope* first_global = nullptr;
constinit int selected_count = 0;
constinit std::int64_t selected_at = 0;  // heap when the latest victim was chosen
constinit std::atomic<bool> watching_fork{false};

void insert(scope& s) noexcept {
  s.previous_global = nullptr;
  s.next_global = first_global;
  if (first_global != nullptr) first_global->previous_global = &s;
  first_global = &s;
}

// Only this thread lives on in the child: the list is made anew from its own scopes.
void after_fork() noexcept {
  registry_lock.reset();
  first_global = nullptr;
  selected_count = 0;
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (!s->request.global_memory) continue;
    insert(*s);
    if (s->selected.load(std::memory_order_relaxed)) ++selected_count;
  }
}

std::int64_t live_of(scope const& s) noexcept {
  return s.account->live.weight.load(std::memory_order_relaxed);
}

}  // namespace

std::int64_t load_global_limit() noexcept { return global_limit.load(std::memory_order_relaxed); }

void store_global_limit(std::int64_t limit) noexcept {
  const std::int64_t old = global_limit.exchange(limit, std::memory_order_relaxed);
  if ((old == unlimited) != (limit == unlimited)) engine::request_samples(limit != unlimited);
}

void register_global(scope& s) noexcept {
  if (!watching_fork.exchange(true, std::memory_order_relaxed)) {
    engine::on_fork_in_child(&after_fork);
  }
  const std::lock_guard lock{registry_lock};
  insert(s);
}

void unregister_global(scope& s) noexcept {
  const std::lock_guard lock{registry_lock};
  (s.previous_global != nullptr ? s.previous_global->next_global : first_global) = s.next_global;
  if (s.next_global != nullptr) s.next_global->previous_global = s.previous_global;
  if (s.selected.load(std::memory_order_relaxed)) --selected_count;
}

global_state look_at_global(std::int64_t candidate) noexcept {
  return {load_global_limit(),
          engine::process_totals.major.weight.load(std::memory_order_relaxed) + candidate};
}

bool is_victim(scope& s, global_state const& state) noexcept {
  if (policy.load(std::memory_order_relaxed) == victim::allocating) return true;
  const std::lock_guard lock{registry_lock};
  if (s.selected.load(std::memory_order_relaxed)) return true;
  // A victim may block, or be where it cannot be interrupted. So that others do not grow without
  // bound, the next one is chosen as well after another eighth of the limit.
  if (selected_count > 0 && state.measured <= selected_at + state.limit / 8) return false;
  scope* largest = nullptr;
  for (scope* g = first_global; g != nullptr; g = g->next_global) {
    if (g->selected.load(std::memory_order_relaxed)) continue;
    if (largest == nullptr || live_of(*g) > live_of(*largest)) largest = g;
  }
  if (largest == nullptr) return false;
  largest->selected.store(true, std::memory_order_relaxed);
  ++selected_count;
  selected_at = state.measured;
  return largest == &s;
}

}  // namespace detail

void set_global_memory_limit(std::optional<bytes> limit) {
  if (auto const* const other = copies::other()) return other->set_global_memory_limit(limit);
  if (limit) detail::check_amount("set_global_memory_limit", *limit);
  detail::store_global_limit(limit ? limit->count() : detail::unlimited);
}

std::optional<bytes> global_memory_limit() noexcept {
  if (auto const* const other = copies::other()) return other->global_memory_limit();
  const std::int64_t limit = detail::load_global_limit();
  if (limit == detail::unlimited) return std::nullopt;
  return bytes{limit};
}

void set_global_memory_victim(victim which) noexcept {
  if (auto const* const other = copies::other()) return other->set_global_memory_victim(which);
  detail::policy.store(which, std::memory_order_relaxed);
}

victim global_memory_victim() noexcept {
  if (auto const* const other = copies::other()) return other->global_memory_victim();
  return detail::policy.load(std::memory_order_relaxed);
}

}  // namespace memprof::inline v0
