// SPDX-License-Identifier: MIT
#include "limits/global_limit.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

#include "base/base.hpp"
#include "copies/copies.hpp"
#include "engine/engine.hpp"
#include "limits/check_arguments.hpp"
#include "limits/stops.hpp"

namespace memprof::inline v0 {
namespace detail {
namespace {

constinit std::atomic<std::int64_t> global_limit{unlimited};
constinit std::atomic<victim> policy{victim::allocating};
constinit std::atomic<std::int64_t> patience_ns{1'000'000'000};

// Guards the list and the choice. Held inside malloc for some loads and stores. After every single
// store the list can be walked forwards, so a forked child may reset the lock.
constinit base::spin_lock registry_lock;
constinit scope* first_global = nullptr;
constinit int selected_count = 0;
constinit std::int64_t selected_heap = 0;  // when the latest victim was chosen
constinit std::int64_t selected_time = 0;  // ns, steady clock
constinit std::atomic<bool> watching_fork{false};

void insert(scope& s) noexcept {
  s.global.previous = nullptr;
  s.global.next = first_global;
  if (first_global != nullptr) first_global->global.previous = &s;
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
    if (s->global.selected.load(std::memory_order_relaxed)) ++selected_count;
  }
}

bool chosen_here() noexcept {
  for (scope const* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (s->global.selected.load(std::memory_order_relaxed)) return true;
  }
  return false;
}

bool stopped_here() noexcept {
  for (scope const* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (token_is_set(*s) || deadline_has_passed(*s)) return true;
  }
  return false;
}

/// A victim may block, or be where it cannot be interrupted. The next one is then chosen as well:
/// when its time is up, or the heap has grown by an eighth of the limit.
bool victim_is_on_its_way(std::int64_t heap, std::int64_t limit, std::int64_t now) noexcept {
  return selected_count > 0 && heap <= selected_heap + limit / 8 &&
         now - selected_time < patience_ns.load(std::memory_order_relaxed);
}

/// Chooses the largest task, this thread's with its request included, unless a victim is on its
/// way.
void choose_victim(global_state const& state, std::int64_t candidate, std::int64_t now) noexcept {
  const std::int64_t heap = state.measured - candidate;
  const std::lock_guard lock{registry_lock};
  if (victim_is_on_its_way(heap, state.limit, now)) return;
  scope* largest = nullptr;
  std::int64_t most = 0;
  const auto consider = [&](scope* g, std::int64_t more) {
    if (g->global.selected.load(std::memory_order_relaxed)) return;
    const std::int64_t amount = live_account_of(*g).live.whole_bytes() + more;
    if (largest != nullptr && amount <= most) return;
    largest = g;
    most = amount;
  };
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (s->request.global_memory) consider(s, candidate);
  }
  for (scope* g = first_global; g != nullptr; g = g->global.next) consider(g, 0);
  if (largest == nullptr) return;
  largest->global.selected.store(true, std::memory_order_relaxed);
  ++selected_count;
  selected_heap = heap;
  selected_time = now;
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
  (s.global.previous != nullptr ? s.global.previous->global.next : first_global) = s.global.next;
  if (s.global.next != nullptr) s.global.next->global.previous = s.global.previous;
  if (s.global.selected.exchange(false, std::memory_order_relaxed)) --selected_count;
}

global_state look_at_global(std::int64_t candidate) noexcept {
  auto const& totals = engine::process_totals;
  return {load_global_limit(),
          totals.major.whole_bytes() + totals.granted.load(std::memory_order_relaxed) + candidate};
}

global_state ask_global(std::int64_t candidate) noexcept {
  global_state state = look_at_global(candidate);
  if (state.limit == unlimited || state.over()) return state;
  // What others were granted in between counts, too.
  if (!engine::grant(candidate, state.limit)) state.measured = state.limit + 1;
  return state;
}

bool await_room(global_state& state, std::int64_t candidate, bool may_wait) noexcept {
  constexpr std::int32_t shortest = 50, longest = 1000;  // us
  const std::int64_t start = base::steady_nanoseconds();
  std::int64_t now = start;
  for (std::int32_t pause = shortest;; pause = std::min(2 * pause, longest)) {
    choose_victim(state, candidate, now);
    if (chosen_here()) return false;
    if (!may_wait || stopped_here()) return true;
    if (now - start >= patience_ns.load(std::memory_order_relaxed)) return false;
    base::sleep_uncancellable(pause);
    state = ask_global(candidate);
    if (!state.over()) return true;
    now = base::steady_nanoseconds();
  }
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

void set_global_memory_patience(std::chrono::nanoseconds time) {
  if (auto const* const other = copies::other()) return other->set_global_memory_patience(time);
  detail::check_time("set_global_memory_patience", time);
  detail::patience_ns.store(time.count(), std::memory_order_relaxed);
}

std::chrono::nanoseconds global_memory_patience() noexcept {
  if (auto const* const other = copies::other()) return other->global_memory_patience();
  return std::chrono::nanoseconds{detail::patience_ns.load(std::memory_order_relaxed)};
}

victim global_memory_victim() noexcept {
  if (auto const* const other = copies::other()) return other->global_memory_victim();
  return detail::policy.load(std::memory_order_relaxed);
}

}  // namespace memprof::inline v0
