// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>

#include "memprof/fiber.hpp"

#include "engine/engine.hpp"
#include "fiber/task_core.hpp"

namespace memprof::inline v0 {
namespace {

constexpr bytes smallest_stack{16 * 1024};
constexpr bytes largest_stack{std::int64_t{1} << 40};
constexpr char cancelled_by_monitor[] = "cancelled by its monitor";

constinit std::atomic<std::uint64_t> abandoned{0};

[[noreturn]] void refuse_call(char const* function, char const* why) {
  throw std::logic_error(std::string("memprof::task::") + function + ": " + why);
}

void check_options(task_options const& o) {
  if (o.stack_size < smallest_stack || o.stack_size > largest_stack) {
    throw std::invalid_argument("memprof::task: a stack of " +
                                std::to_string(o.stack_size.count()) +
                                " bytes; between 16 KiB and 1 TiB are possible");
  }
  if (o.cancel_patience < words{1}) {
    throw std::invalid_argument("memprof::task: the patience is " +
                                std::to_string(o.cancel_patience.count()) +
                                " words; at least 1 is needed");
  }
}

/// The task is not started or paused, and this thread may run it.
void check_runnable(detail::task_core const* c, char const* function) {
  if (c == nullptr) refuse_call(function, "the task was moved away");
  if (c->state == task_state::running) refuse_call(function, "the task is running");
  if (c->state == task_state::abandoned) refuse_call(function, "the task was abandoned");
  if (c->done()) refuse_call(function, "the task has ended");
  if (!is_at_home(*c)) {
    refuse_call(function,
                "the task was started by another thread; task_options::any_thread allows that, for "
                "functions that may change threads");
  }
}

/// The interrupt of a task that never ran.
interrupted never_started() {
  return detail::make_interrupted({.kind = limit_kind::token,
                                   .limit = 0,
                                   .measured = 0,
                                   .deliveries = 0,
                                   .deferrals = 0,
                                   .reason = cancelled_by_monitor,
                                   .last_deferral = nullptr,
                                   .started = false,
                                   .exception = nullptr});
}

task_state resume_with(detail::task_core* c, std::int64_t quantum, char const* function) {
  while (true) {
    check_runnable(c, function);
    if (engine::current.muted > 0) refuse_call(function, "called from a callback of the library");
    if (c->state == task_state::not_started) give_stack(*c);
    if (std::exchange(c->still_over, false)) return c->state;
    run_until_pause(*c, quantum);
    if (c->state != task_state::paused || c->cause != detail::pause_cause::outer) return c->state;
    // An interrupt is due to a scope around this call: raised here, if it may be; or this very call
    // is in a task that pauses. Otherwise it was deferred, and the task continues.
    if (quantum != detail::never) quantum = std::max<std::int64_t>(c->quantum_end - c->position, 0);
    cancellation_point();
  }
}

/// Delivers the interrupt of a paused task.
void cancel_paused(detail::task_core& c, std::int64_t patience) noexcept {
  begin_cancel(c, cancelled_by_monitor);
  run_until_pause(c, patience);
}

void give_up(detail::task_core& c) noexcept {
  c.state = task_state::abandoned;
  abandoned.fetch_add(1, std::memory_order_relaxed);
}

detail::task_core* make_core(limits&& l, task_options const& options) {
  check_options(options);
  const engine::muted_section muted;  // the library's own allocation: not counted
  return new detail::task_core(std::move(l), options);
}

}  // namespace

task_base::task_base(limits&& l, task_options const& options) : core_(nullptr) {
  check_request(detail::make_request("task", l));
  detail::check_active("task");
  core_ = make_core(std::move(l), options);
}

task_base::~task_base() {
  if (core_ == nullptr) return;
  detail::task_core& c = *core_;
  if (c.state == task_state::paused && is_at_home(c)) {
    cancel_paused(c, c.options.cancel_patience.count());
  }
  if (c.state == task_state::paused || c.state == task_state::running) give_up(c);
  if (c.state != task_state::abandoned) delete core_;
}

task_base& task_base::operator=(task_base&& other) noexcept {
  if (this != &other) {
    task_base old(std::move(*this));
    core_ = std::exchange(other.core_, nullptr);
  }
  return *this;
}

void task_base::give_body(std::unique_ptr<detail::task_body> body) noexcept {
  core_->body = std::move(body);
}

detail::task_body& task_base::body() const noexcept { return *core_->body; }

task_state task_base::resume() { return resume_with(core_, detail::never, "resume"); }

task_state task_base::run_for(words quantum) {
  if (quantum < words{1}) {
    throw std::invalid_argument("memprof::task::run_for: " + std::to_string(quantum.count()) +
                                " words; at least 1 is needed");
  }
  return resume_with(core_, quantum.count(), "run_for");
}

task_state task_base::cancel() {
  return cancel(core_ != nullptr ? core_->options.cancel_patience : words{1});
}

task_state task_base::cancel(words patience) {
  if (patience < words{1}) {
    throw std::invalid_argument("memprof::task::cancel: a patience of " +
                                std::to_string(patience.count()) + " words; at least 1 is needed");
  }
  if (core_ != nullptr && core_->done()) return core_->state;
  check_runnable(core_, "cancel");
  if (core_->state == task_state::not_started) {
    core_->report.error.emplace(never_started());
    core_->state = task_state::interrupted;
  } else {
    cancel_paused(*core_, patience.count());
  }
  return core_->state;
}

void task_base::abandon() {
  if (state() != task_state::paused) refuse_call("abandon", "the task is not paused");
  give_up(*core_);
}

detail::run_report task_base::take_report() {
  if (core_ == nullptr || !core_->done()) refuse_call("result", "the task has not ended");
  if (core_->taken) refuse_call("result", "the result was taken before");
  core_->taken = true;
  if (core_->failure) std::rethrow_exception(core_->failure);
  return std::move(core_->report);
}

bool pause_point() { return detail::pause_now(); }

std::uint64_t abandoned_tasks() noexcept { return abandoned.load(std::memory_order_relaxed); }

}  // namespace memprof::inline v0
