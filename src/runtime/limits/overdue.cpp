// SPDX-License-Identifier: MIT
#include "limits/overdue.hpp"

#include <algorithm>
#include <optional>
#include <unistd.h>

#include "memprof/overdue.hpp"

#include "base/base.hpp"
#include "copies/copies.hpp"
#include "engine/engine.hpp"
#include "limits/abandoned_scopes.hpp"
#include "limits/scope.hpp"

namespace memprof::inline v0 {
namespace detail {
namespace {

// gettid, which is a system call: not for each scope.
constinit thread_local std::int64_t own_thread = 0;
constinit std::atomic<bool> watching_fork_for_overdue{false};

// Only this thread lives on in the child, and has another id there.
void overdue_after_fork() noexcept {
  own_thread = gettid();
  for (std::uint32_t i = 1; i <= highest_scope(); ++i) {
    note_of_scope(i).listed.store(0, std::memory_order_relaxed);
  }
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (!s->overdue.listed) continue;
    s->overdue.note->thread.store(own_thread, std::memory_order_relaxed);
    s->overdue.note->listed.store(s->overdue.number, std::memory_order_release);
  }
}

[[gnu::cold]] void prepare_thread_for_overdue() noexcept {
  if (!watching_fork_for_overdue.exchange(true, std::memory_order_relaxed))
    engine::on_fork_in_child(&overdue_after_fork);
  own_thread = gettid();
}

/// What the note says of a task, if there is one that the policy means.
std::optional<overdue_task> read_note(overdue_note const& n, overdue_policy const& policy,
                                      std::int64_t now) noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  const std::uint64_t number = n.listed.load(std::memory_order_acquire);
  if (number == 0) return std::nullopt;
  const std::int64_t late = now - n.since.load(relaxed);
  const std::int64_t beyond = n.beyond.load(relaxed);
  if (late < 0 || (late <= policy.late.count() && beyond <= policy.beyond.count())) {
    return std::nullopt;
  }
  const overdue_task task{.number = number,
                          .thread = n.thread.load(relaxed),
                          .kind = n.kind.load(relaxed),
                          .late = std::chrono::nanoseconds(late),
                          .beyond = bytes{beyond},
                          .deliveries = n.deliveries.load(relaxed),
                          .deferrals = n.deferrals.load(relaxed),
                          .last_deferral = n.last_deferral.load(relaxed),
                          .last_place = reinterpret_cast<void const*>(n.last_place.load(relaxed))};
  // If something above is of a later task, so is this.
  std::atomic_thread_fence(std::memory_order_acquire);
  if (n.listed.load(relaxed) != number) return std::nullopt;
  return task;
}

void note_attempts(overdue_note& n, delivery_attempts const& attempts) noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  n.deliveries.store(attempts.deliveries, relaxed);
  n.deferrals.store(attempts.deferrals, relaxed);
  n.last_deferral.store(attempts.last_deferral, relaxed);
  n.last_place.store(attempts.last_place, relaxed);
}

}  // namespace

void list_overdue(scope& s) noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  overdue_state& state = s.overdue;
  if (state.listed) return;
  if (own_thread == 0) [[unlikely]]
    prepare_thread_for_overdue();
  overdue_note& n = *state.note;
  if (state.number == 0) state.number = ++n.tasks << scope_index_bits | s.index;
  // After it was taken off the list the last time: a reader that finds a value from below does not
  // find the number that was there before.
  std::atomic_thread_fence(std::memory_order_release);
  n.thread.store(own_thread, relaxed);
  n.since.store(s.clock.deadline, relaxed);
  n.kind.store(limit_kind::deadline, relaxed);
  n.beyond.store(0, relaxed);
  note_attempts(n, s.attempts);
  n.listed.store(state.number, std::memory_order_release);
  state.listed = true;
}

void unlist_overdue(scope& s) noexcept {
  overdue_state& state = s.overdue;
  if (!state.listed) return;
  state.note->listed.store(0, std::memory_order_release);
  state.listed = false;
  state.noted = false;
}

void note_overdue(scope& s, std::int64_t position) noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  if (!s.pending()) return;
  list_overdue(s);
  overdue_note& n = *s.overdue.note;
  if (!s.overdue.noted) {
    s.overdue.noted = true;
    n.since.store(std::min(n.since.load(relaxed), base::steady_nanoseconds()), relaxed);
  }
  n.kind.store(s.hit.kind, relaxed);
  n.beyond.store(std::max<std::int64_t>(0, position - s.hit.position) * 8, relaxed);
  note_attempts(n, s.attempts);
}

void note_overdue(std::int64_t position) noexcept {
  for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    note_overdue(*s, position);
  }
}

}  // namespace detail

std::vector<overdue_task> overdue_tasks(overdue_policy const& policy) {
  if (auto const* const other = copies::other()) return other->overdue_tasks(policy);
  const std::int64_t now = base::steady_nanoseconds();
  std::vector<overdue_task> tasks;
  for (std::uint32_t i = 1; i <= detail::highest_scope(); ++i) {
    if (auto task = detail::read_note(detail::note_of_scope(i), policy, now)) {
      tasks.push_back(*task);
    }
  }
  return tasks;
}

}  // namespace memprof::inline v0
