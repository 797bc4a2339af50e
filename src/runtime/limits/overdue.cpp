// SPDX-License-Identifier: MIT
#include "limits/overdue.hpp"

#include <algorithm>
#include <mutex>
#include <unistd.h>

#include "memprof/overdue.hpp"

#include "base/base.hpp"
#include "copies/copies.hpp"
#include "engine/engine.hpp"
#include "limits/clock.hpp"
#include "limits/scope.hpp"

namespace memprof::inline v0 {
namespace detail {
namespace {

// Guards the list. Held inside malloc for some loads and stores. After every single store the list
// can be walked forwards, so a forked child may reset the lock.
constinit base::spin_lock overdue_lock;
constinit scope* first_overdue = nullptr;
constinit std::size_t overdue_count = 0;
constinit std::uint64_t last_overdue_number = 0;
constinit std::atomic<bool> watching_fork_for_overdue{false};

void insert_overdue(scope& s) noexcept {
  overdue_note& n = s.overdue;
  n.previous = nullptr;
  n.next = first_overdue;
  if (first_overdue != nullptr) first_overdue->overdue.previous = &s;
  first_overdue = &s;
  n.listed = true;
  ++overdue_count;
}

// Only this thread lives on in the child: the list is made anew from its own scopes.
void overdue_after_fork() noexcept {
  overdue_lock.reset();
  first_overdue = nullptr;
  overdue_count = 0;
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (!s->overdue.listed) continue;
    s->overdue.thread = gettid();
    insert_overdue(*s);
  }
}

/// The tasks that the policy means, at most as many as there is room for. Returns how many there
/// may be.
std::size_t read_overdue(overdue_policy const& policy, std::vector<overdue_task>& tasks) noexcept {
  const std::int64_t now = steady_nanoseconds();
  const std::lock_guard lock{overdue_lock};
  for (scope const* s = first_overdue; s != nullptr; s = s->overdue.next) {
    overdue_note const& n = s->overdue;
    const std::int64_t late = now - n.since.load(std::memory_order_relaxed);
    const std::int64_t beyond = n.beyond.load(std::memory_order_relaxed);
    if (late < 0 || (late <= policy.late.count() && beyond <= policy.beyond.count())) continue;
    if (tasks.size() == tasks.capacity()) break;
    tasks.push_back({.number = n.number,
                     .thread = n.thread,
                     .kind = n.kind.load(std::memory_order_relaxed),
                     .late = std::chrono::nanoseconds(late),
                     .beyond = bytes{beyond},
                     .deliveries = n.deliveries.load(std::memory_order_relaxed),
                     .deferrals = n.deferrals.load(std::memory_order_relaxed),
                     .last_deferral = n.last_deferral.load(std::memory_order_relaxed),
                     .last_place = reinterpret_cast<void const*>(
                         n.last_place.load(std::memory_order_relaxed))});
  }
  return overdue_count;
}

}  // namespace

void list_overdue(scope& s) noexcept {
  overdue_note& n = s.overdue;
  if (n.listed) return;
  if (!watching_fork_for_overdue.exchange(true, std::memory_order_relaxed))
    engine::on_fork_in_child(&overdue_after_fork);
  n.since.store(s.deadline, std::memory_order_relaxed);
  n.kind.store(limit_kind::deadline, std::memory_order_relaxed);
  const std::int64_t thread = gettid();
  const std::lock_guard lock{overdue_lock};
  if (n.number == 0) n.number = ++last_overdue_number;
  n.thread = thread;
  insert_overdue(s);
}

void unlist_overdue(scope& s) noexcept {
  overdue_note& n = s.overdue;
  if (!n.listed) return;
  const std::lock_guard lock{overdue_lock};
  (n.previous != nullptr ? n.previous->overdue.next : first_overdue) = n.next;
  if (n.next != nullptr) n.next->overdue.previous = n.previous;
  n.listed = false;
  n.noted = false;
  --overdue_count;
}

void note_overdue(std::int64_t position) noexcept {
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (!s->pending()) continue;
    overdue_note& n = s->overdue;
    list_overdue(*s);
    if (!n.noted) {
      n.noted = true;
      n.since.store(std::min(n.since.load(std::memory_order_relaxed), steady_nanoseconds()),
                    std::memory_order_relaxed);
    }
    n.kind.store(s->kind, std::memory_order_relaxed);
    n.beyond.store(std::max<std::int64_t>(0, position - s->hit_position - s->refused_words) * 8,
                   std::memory_order_relaxed);
    n.deliveries.store(s->deliveries, std::memory_order_relaxed);
    n.deferrals.store(s->deferrals, std::memory_order_relaxed);
    n.last_deferral.store(s->last_deferral, std::memory_order_relaxed);
    n.last_place.store(s->last_place, std::memory_order_relaxed);
  }
}

}  // namespace detail

std::vector<overdue_task> overdue_tasks(overdue_policy const& policy) {
  if (auto const* const other = copies::other()) return other->overdue_tasks(policy);
  std::vector<overdue_task> tasks;
  std::size_t room = 16;
  do {
    tasks.clear();
    tasks.reserve(room);
    room = detail::read_overdue(policy, tasks);
  } while (room > tasks.capacity());
  return tasks;
}

}  // namespace memprof::inline v0
