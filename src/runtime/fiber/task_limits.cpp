// SPDX-License-Identifier: MIT
// How the monitor reads and changes a task's limits.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "memprof/fiber.hpp"

#include "engine/engine.hpp"
#include "fiber/task_core.hpp"

namespace memprof::inline v0 {
namespace {

[[noreturn]] void refuse_limit(char const* function, char const* why) {
  throw std::logic_error(std::string("memprof::task::") + function + ": " + why);
}

bool is_amount(limit_kind kind) noexcept {
  return kind != limit_kind::token && kind != limit_kind::deadline;
}

pause_reason reason_of(detail::pause_cause cause) noexcept {
  switch (cause) {
    case detail::pause_cause::limit:
      return pause_reason::limit;
    case detail::pause_cause::asked:
      return pause_reason::asked;
    case detail::pause_cause::cancelled:
      return pause_reason::not_cancelled;
    case detail::pause_cause::quantum:
    case detail::pause_cause::outer:
      break;
  }
  return pause_reason::quantum;  // paused because of its resumer: its share is used up, too
}

/// Not started or paused: no other thread reads its limits.
void check_idle(detail::task_core const* c, char const* function) {
  if (c == nullptr || (c->state != task_state::paused && c->state != task_state::not_started)) {
    refuse_limit(function, "the task is neither paused nor waiting for its start");
  }
}

/// Whether the request that the task is paused in is still too large. Then the next resume does not
/// grant it: one huge request must not pass because the limit was raised a little.
void note_raise(detail::task_core& c, limit_kind kind, std::int64_t new_limit) noexcept {
  if (c.outermost == nullptr || c.cause != detail::pause_cause::limit ||
      c.outermost->hit.kind != kind)
    return;
  detail::scope& s = *c.outermost;
  s.hit.raise_limit(new_limit);
  // A sampled count is at its limit when it reaches it, the others when they exceed it.
  const bool reached = kind == limit_kind::allocations && !s.exact();
  c.still_over = reached ? s.hit.measured >= new_limit : s.hit.measured > new_limit;
}

}  // namespace

task_state task_base::state() const noexcept {
  return core_ != nullptr ? core_->state : task_state::abandoned;
}

bool task_base::done() const noexcept { return core_ != nullptr && core_->done(); }

task_pause task_base::pause() const {
  if (state() != task_state::paused) refuse_limit("pause", "the task is not paused");
  task_pause p{.reason = reason_of(core_->cause),
               .kind = {},
               .limit = {},
               .measured = {},
               .requested = words{core_->requested}};
  if (p.reason == pause_reason::limit) {
    detail::scope const& s = *core_->outermost;
    p.kind = s.hit.kind;
    if (is_amount(s.hit.kind)) {
      p.limit = bytes{s.hit.limit};
      p.measured = bytes{s.hit.measured};
    }
  }
  return p;
}

void task_base::raise_limit(bytes new_limit) {
  const task_pause at = pause();
  if (at.reason != pause_reason::limit || !is_amount(at.kind)) {
    refuse_limit("raise_limit", "the task is not paused at an amount: say which limit");
  }
  raise_limit(at.kind, new_limit);
}

void task_base::raise_limit(limit_kind kind, bytes new_limit) {
  check_idle(core_, "raise_limit");
  if (!is_amount(kind)) refuse_limit("raise_limit", "tokens and deadlines have no amount");
  if (kind == limit_kind::global_memory) {
    set_global_memory_limit(new_limit);
    note_raise(*core_, kind, new_limit.count());
    return;
  }
  detail::check_amount("task::raise_limit", new_limit);
  const bool allocations = kind == limit_kind::allocations;
  std::optional<bytes>& bound = allocations ? core_->bounds.allocations : core_->bounds.memory;
  if (!bound) refuse_limit("raise_limit", "the task has no such limit");
  const std::int64_t old_limit = bound->count();
  bound = new_limit;
  (allocations ? core_->request.allocations : core_->request.memory) = new_limit;
  if (detail::scope* const s = core_->outermost) {
    detail::set_limit(*s, kind, new_limit.count());
    detail::rearm_soft_limits(*s, kind, old_limit, new_limit.count());
    note_raise(*core_, kind, new_limit.count());
  }
}

void task_base::extend_time(std::chrono::nanoseconds time) {
  check_idle(core_, "extend_time");
  if (!core_->bounds.time) refuse_limit("extend_time", "the task has no limit on its time");
  if (time.count() < 0) {
    throw std::invalid_argument("memprof::task::extend_time: the time is negative: " +
                                std::to_string(time.count()) + " ns");
  }
  core_->bounds.time = core_->request.time = time;
  if (detail::scope* const s = core_->outermost) {
    s->request.time = time;
    detail::set_deadline(*s);
  }
}

bytes task_base::allocated() const noexcept {
  return core_ != nullptr ? bytes{words{words_of(*core_)}} : bytes{};
}

estimate task_base::live() const noexcept {
  if (core_ == nullptr || core_->outermost == nullptr ||
      core_->outermost->counted.account == nullptr)
    return {};
  return engine::amount_of(*core_->outermost->counted.account).with(0.95);
}

}  // namespace memprof::inline v0
