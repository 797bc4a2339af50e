// SPDX-License-Identifier: MIT
/// \file
/// Tasks that pause where a limit would have interrupted them. Component `memprof::fiber`; not
/// included by `memprof.hpp`.
///
///     memprof::task t{memprof::limits{.memory = 64_MiB}, [&] { return parse(untrusted); }};
///     while (t.resume() == memprof::task_state::paused) {
///       if (!enough_memory()) t.cancel();         // unwinds it; resume() is not called again
///       else t.raise_limit(t.pause().limit * 2);  // it goes on inside the very allocation
///       if (t.done()) break;
///     }
///     auto r = t.result();                        // as run_limited would have returned it
///
/// The task runs on a stack of its own, in turns with its monitor, who calls `resume`. Where a
/// limit of the task is hit, in a throwing operator new or another delivery point, it stops with
/// its stack intact: nothing is thrown, so it may stop under noexcept, in a comparator that C code
/// calls, in a destructor during unwinding. Only masked regions are not stopped in: what they hold
/// might be needed by the monitor. A mutex that the task holds while it is paused stays locked.
///
/// Limits inside the task (`limit_memory` called by it and its like) interrupt as always. Scopes
/// around the monitor are charged for what the task does while they resume it. If one of them is
/// hit meanwhile, the task is put down and `resume` raises its interrupt; the task stays paused.
///
/// What a task must not do: end its thread (pthread_exit, pthread_cancel), or be cancelled with it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "memprof/detail/export.hpp"
#include "memprof/limits.hpp"

namespace memprof::inline v0 {

/// not_started   nothing has run.
/// running       its function is on a stack that is in use, its own thread's.
/// paused        `pause()` tells why.
/// finished      its function has returned or thrown, and no limit was hit.
/// interrupted   `result()` is an error: cancelled, or ended although a limit was hit.
/// abandoned     given up without being unwound. A moved-from task says so, too.
enum class task_state : std::uint8_t {
  not_started,
  running,
  paused,
  finished,
  interrupted,
  abandoned
};

/// limit         a limit of the task was hit, its token set, its deadline passed.
/// quantum       the words given to `run_for` are used up.
/// asked         the task called `pause_point`.
/// not_cancelled it was cancelled, and has not ended within its patience.
enum class pause_reason : std::uint8_t { limit, quantum, asked, not_cancelled };

/// Why and where a task is paused.
///
/// kind, limit, measured   for `limit`: which, what was allowed, and what the count said with the
///                         request it stopped at; the amounts are 0 for a token and a deadline.
/// requested               the request it stopped in, 0 at pause_point and cancellation_point.
struct task_pause {
  pause_reason reason{};
  limit_kind kind{};
  bytes limit{};
  bytes measured{};
  words requested{};
};

/// How a task is run.
///
/// stack_size      bytes, rounded up to whole pages, at least 16 KiB. Only what is touched is
///                 committed. Signal handlers and the unwinder use it as well.
/// guard_page      16 KiB (a page, if that is larger) below the stack that nobody may touch: an
///                 overflow is a fault there instead of damage. Costs a mapping (Linux allows
///                 65 530 in a process).
/// pool_stack      the stack is kept for later tasks, up to 64 of at most 1 MiB each; what was
///                 touched stays committed. Else it is mapped and unmapped, some microseconds.
/// any_thread      may be resumed by other threads than the first one. Only for functions without
///                 affinity to a thread: none that keeps the address of a thread-local or errno in
///                 a register, or holds a lock or a thread id across an allocation.
/// cancel_patience what a cancelled task may still allocate while it cannot be stopped; >= 1.
struct task_options {
  bytes stack_size{256 * 1024};
  bool guard_page = true;
  bool pool_stack = true;
  bool any_thread = false;
  words cancel_patience{1'000'000};
};

namespace detail {

struct task_core;

/// The function of a task.
struct task_body {
  task_body() = default;
  task_body(task_body const&) = delete;
  task_body& operator=(task_body const&) = delete;
  virtual ~task_body() = default;
  virtual void run() = 0;
};

template <class R>
struct task_value : task_body {
  std::optional<R> value;
};
template <>
struct task_value<void> : task_body {};

template <class R, class F>
struct task_function_of final : task_value<R> {
  explicit task_function_of(F&& f) : f_(std::move(f)) {}
  explicit task_function_of(F const& f) : f_(f) {}
  void run() override {
    if constexpr (std::is_void_v<R>) {
      std::invoke(f_);
    } else {
      this->value.emplace(std::invoke(f_));
    }
  }

 private:
  F f_;
};

}  // namespace detail

/// What all tasks have, whatever they return.
///
/// A task may be moved, not copied. Its members are called by one thread at a time: the monitor's.
/// Errors of use (a wrong state, another thread) are std::logic_error and change nothing.
class MEMPROF_API task_base {
 public:
  /// A paused task is cancelled, with the patience of its options, so that its destructors run. If
  /// it has not ended then, or may not be resumed by this thread, or is running, it is abandoned:
  /// stack, function and what they own are leaked and counted by `abandoned_tasks`. Not noticed is
  /// code that neither allocates nor ends.
  ~task_base();
  task_base(task_base&& other) noexcept : core_(std::exchange(other.core_, nullptr)) {}
  task_base& operator=(task_base&& other) noexcept;

  /// Runs the task until it pauses or ends. After a pause at a limit the request at hand is
  /// granted; unless the limit was raised, or memory became free, it pauses again at the next
  /// place that finds the limit exceeded.
  ///
  /// returns     paused, finished or interrupted.
  /// throws      limit_exceeded: of a scope around this call, not of the task, which stays paused;
  ///             std::logic_error: ended or running already, called from a callback of the
  ///             library, or by another thread without `any_thread`;
  ///             std::bad_alloc: there is no memory for a stack.
  /// cost        about 100 ns for a pause and a resume; a first one also obtains the stack.
  task_state resume();

  /// The same, but pauses it before more than `quantum` words were allocated by it.
  ///
  /// It stops at the first delivery point beyond, so it has then used less than `quantum` words and
  /// the request it stopped in, if it allocates through operator new only. What malloc gives it
  /// counts, and cannot be stopped in. Positions are exact, at any sampling rate.
  /// throws      as resume; std::invalid_argument if quantum < 1.
  task_state run_for(words quantum);

  /// Ends the task: its interrupt is delivered, where it paused if that may be, otherwise that
  /// request is granted and the next places are tried. One that was not started is never run.
  ///
  /// returns     interrupted; or finished, if it came to its end first; or paused with the reason
  ///             not_cancelled, if it went on for `patience` words. Calling it again goes on.
  /// throws      as resume. Of no effect on a task that has ended.
  task_state cancel();
  task_state cancel(words patience);

  /// Gives up a task that is paused, as the destructor does at last: it never runs again, and what
  /// it owns is leaked. For one that cannot be cancelled.
  /// throws      std::logic_error if it is not paused.
  void abandon();

  [[nodiscard]] task_state state() const noexcept;
  /// It has ended: `result()` may be called.
  [[nodiscard]] bool done() const noexcept;
  /// throws      std::logic_error if it is not paused.
  [[nodiscard]] task_pause pause() const;

  /// Replaces the limit that it is paused at. (Any amount is allowed, a lower one too.) If that is
  /// not enough for the request at hand, the next resume returns at once, paused at the new limit.
  /// throws      std::logic_error if it is not paused at an amount; std::invalid_argument if the
  ///             amount is negative or over max_allocation_limit.
  void raise_limit(bytes new_limit);
  /// Replaces the limit on `allocations`, `memory` or `global_memory` (the process's), before the
  /// task began or while it is paused.
  /// throws      the same; std::logic_error if the task has no such limit.
  void raise_limit(limit_kind kind, bytes new_limit);
  /// Replaces the time, counted from the task's start. Pauses count.
  void extend_time(std::chrono::nanoseconds time);

  /// Allocated by the task so far, exactly, however its limit is counted; frees are not credited.
  [[nodiscard]] bytes allocated() const noexcept;
  /// Estimated live memory of the task, if it has a limit on `memory`, else 0; confidence 0.95.
  [[nodiscard]] estimate live() const noexcept;

 protected:
  task_base(limits&& l, task_options const& options);
  void give_body(std::unique_ptr<detail::task_body> body) noexcept;
  [[nodiscard]] detail::task_body& body() const noexcept;
  /// The report of a task that has ended, once; throws what its function threw.
  detail::run_report take_report();

 private:
  detail::task_core* core_;
};

/// A function that runs under limits and pauses at them.
///
/// R           what the function returns; not a reference.
template <class R>
class task : public task_base {
  static_assert(!std::is_reference_v<R>, "the task must not return a reference: return a pointer");
  static_assert(!detail::runs_later<R>, "the task must not be a coroutine: run it to its end");

 public:
  /// The function is called by the first `resume`, and destroyed with the task.
  /// throws      std::invalid_argument for a limit or an option that makes no sense; not_active if
  ///             nothing feeds the sampler; what moving the function throws.
  template <class F>
  task(limits l, F&& f) : task(std::move(l), task_options{}, std::forward<F>(f)) {}
  template <class F>
  task(limits l, task_options const& options, F&& f) : task_base(std::move(l), options) {
    give_body(std::make_unique<detail::task_function_of<R, std::decay_t<F>>>(std::forward<F>(f)));
  }

  /// The task has ended: what `run_limited` would have returned, or throws what its function threw.
  /// The value is moved out.
  /// throws      std::logic_error if it has not ended, or at a second call.
  memprof::result<counted<R>> result() {
    detail::run_report report = take_report();
    if (report.error) return std::unexpected(*std::move(report.error));
    if constexpr (std::is_void_v<R>) {
      return counted<void>{report.allocated};
    } else {
      auto& holder = static_cast<detail::task_value<R>&>(body());
      return counted<R>{*std::move(holder.value), report.allocated};
    }
  }
};

template <class F>
task(limits, F&&) -> task<std::invoke_result_t<std::decay_t<F>&>>;
template <class F>
task(limits, task_options, F&&) -> task<std::invoke_result_t<std::decay_t<F>&>>;

/// Pauses the task that runs here, with the reason `asked`; goes on when it is resumed. A delivery
/// point: a cancel is raised here.
///
/// returns     false, at once, if there is no task to pause: outside of one, in a masked region, in
///             a callback of the library, in a task that is being cancelled.
MEMPROF_API bool pause_point();

/// Tasks that were abandoned in this process: leaked, because they could not be unwound.
MEMPROF_API std::uint64_t abandoned_tasks() noexcept;

/// Has an overflow of a task's stack reported: "memprof: a task ran over the end of its stack ..."
/// on standard error. Off by default, because it takes the handler of SIGSEGV: a fault in the guard
/// of the task that runs is reported, and then, as any other, goes to the handler that was there
/// before, or ends the process by the signal.
///
/// Each thread that resumes tasks gets an alternate signal stack from then on, unless it has one.
/// Frames larger than the guard (16 KiB) may step over it: -fstack-clash-protection avoids that.
/// returns     false if the handler could not be installed.
MEMPROF_API bool report_stack_overflows() noexcept;

}  // namespace memprof::inline v0
