// SPDX-License-Identifier: MIT
/// \file
/// Tasks that pause where a limit would have interrupted them. Component `memprof::fiber`; not
/// included by `memprof.hpp`.
///
///     memprof::task t{memprof::limits{.memory = 64_MiB}, [&] { return parse(untrusted); }};
///     while (t.resume() == memprof::task_state::paused) {
///       if (!enough_memory()) t.cancel();         // unwinds it; resume() is not called again
///       else t.raise_limit(t.pause().limit * 2);  // it continues inside the same allocation
///       if (t.done()) break;
///     }
///     auto r = t.result();                        // as run_limited would have returned it
///
/// The task runs on a stack of its own and takes turns with its monitor, the caller of `resume`.
/// Where a limit of the task is hit, in a throwing operator new or at another delivery point, the
/// task stops with its stack intact. Nothing is thrown, so it may stop under noexcept, in a
/// comparator called by C code, or in a destructor during unwinding. It never stops in a masked
/// region, because the monitor might need what the region holds. A mutex that the task holds stays
/// locked while the task is paused.
///
/// Limits inside the task (a `limit_memory` that it calls) interrupt as always. Scopes around the
/// monitor are charged for what the task does while they resume it. If one of those is hit, the
/// task is paused and `resume` raises the interrupt of that scope.
///
/// A task must not end its thread (pthread_exit, pthread_cancel), and its thread must not be
/// cancelled while the task runs.
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

///  - `not_started`: nothing has run.
///  - `running`: its function is executing.
///  - `paused`: `pause()` returns the reason.
///  - `finished`: its function has returned or thrown, and no limit was hit.
///  - `interrupted`: `result()` is an error: the task was cancelled, or ended after a limit was
///    hit.
///  - `abandoned`: given up without being unwound. Also the state of a moved-from task.
enum class task_state : std::uint8_t {
  not_started,
  running,
  paused,
  finished,
  interrupted,
  abandoned
};

///  - `limit`: a limit of the task was hit, its token was set, or its deadline has passed.
///  - `quantum`: the words given to `run_for` are used up.
///  - `asked`: the task called `pause_point`.
///  - `not_cancelled`: it was cancelled, and has not ended within its `cancel_patience`.
enum class pause_reason : std::uint8_t { limit, quantum, asked, not_cancelled };

/// Why and where a task is paused.
///
///  - `kind`, `limit`, `measured`: for reason `limit`: which limit, the amount allowed, and the
///    amount counted, including the request it stopped in. Both amounts are 0 for a token or a
///    deadline.
///  - `requested`: the request it stopped in; 0 at pause_point and cancellation_point.
struct task_pause {
  pause_reason reason{};
  limit_kind kind{};
  bytes limit{};
  bytes measured{};
  words requested{};
};

/// How a task is run.
///
///  - `stack_size`: bytes, rounded up to whole pages, at least 16 KiB. Memory is committed when it
///    is first touched. Signal handlers and the unwinder use the stack, too.
///  - `guard_page`: keeps 16 KiB (a page, if that is larger) below the stack inaccessible, so that
///    an overflow faults instead of doing damage. Costs a mapping (Linux allows 65 530 in a
///    process).
///  - `pool_stack`: keeps the stack for later tasks: up to 64 stacks of at most 1 MiB each, and
///    what was touched stays committed. Otherwise each task maps and unmaps one, which takes some
///    microseconds.
///  - `any_thread`: lets threads other than the first one resume the task. Only for functions
///    without affinity to a thread: none that keeps the address of a thread-local or errno in a
///    register, or holds a lock or a thread id across an allocation.
///  - `cancel_patience`: what a cancelled task may still allocate while it cannot be stopped; >= 1.
///    Each interrupt that it swallows takes up 16 words of it.
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

/// The part of a task that does not depend on its result type.
///
/// A task may be moved, but not copied. Only one thread at a time, the monitor's, may call its
/// members. Misuse (a wrong state, another thread) is std::logic_error and changes nothing.
class MEMPROF_API task_base {
 public:
  /// Cancels a paused task, with the patience of its options, so that its destructors run. A task
  /// that has not ended then, or is running, or may not be resumed by this thread, is abandoned:
  /// its stack, its function and what they own are leaked, and `abandoned_tasks` counts it. Code
  /// that neither allocates nor ends goes unnoticed: the destructor then waits for ever.
  ~task_base();
  task_base(task_base&& other) noexcept : core_(std::exchange(other.core_, nullptr)) {}
  task_base& operator=(task_base&& other) noexcept;

  /// Runs the task until it pauses or ends. After a pause at a limit the request that it stopped in
  /// is granted. Unless the limit was raised, or memory was freed, the task pauses again at the
  /// next delivery point where the limit is exceeded.
  ///
  /// \return paused, finished or interrupted.
  /// \throws limit_exceeded if a scope around this call was hit; the task stays paused.
  /// \throws std::logic_error if the task has ended or is running, or if this is a callback of the
  ///   library, or another thread without `any_thread`.
  /// \throws std::bad_alloc if there is no memory for a stack.
  /// \note Cost: about 100 ns for a pause and a resume; the first one also obtains the stack.
  task_state resume();

  /// The same, but pauses the task before it has allocated more than `quantum` words.
  ///
  /// It stops at the first delivery point that would exceed the quantum. A task that allocates
  /// through operator new only has then used less than `quantum` words and the request it stopped
  /// in. What malloc gives it counts, but it cannot stop there. Exact at any sampling rate.
  /// \throws std::invalid_argument if quantum < 1; otherwise as `resume`.
  task_state run_for(words quantum);

  /// Ends the task by delivering its interrupt: where it paused, if it may be raised there;
  /// otherwise that request is granted and the next delivery points are tried. A task that was not
  /// started is never run. No effect on a task that has ended. The request it paused in is then
  /// counted for the task no longer, but still for the scopes around the calls of resume().
  ///
  /// \return interrupted; or finished, if it reached its end first; or paused with the reason
  ///   not_cancelled, if it allocated another `patience` words. Call it again to try further.
  /// \note Throws as `resume`.
  task_state cancel();
  task_state cancel(words patience);

  /// Gives up a paused task that cannot be cancelled, as the destructor does as a last resort: it
  /// never runs again, and what it owns is leaked.
  /// \throws std::logic_error if it is not paused.
  void abandon();

  [[nodiscard]] task_state state() const noexcept;
  /// True if the task has ended: `result()` may be called.
  [[nodiscard]] bool done() const noexcept;
  /// \throws std::logic_error if it is not paused.
  [[nodiscard]] task_pause pause() const;

  /// Replaces the limit that it is paused at, by any amount, even a lower one. If that is not
  /// enough for the request it stopped in, the next resume returns at once, paused at the new
  /// limit.
  /// \throws std::logic_error if it is not paused at an amount.
  /// \throws std::invalid_argument if the amount is negative or over max_allocation_limit.
  void raise_limit(bytes new_limit);
  /// Replaces the limit on `allocations`, `memory` or `global_memory` (the process's), before the
  /// task has begun or while it is paused.
  /// \throws std::logic_error if the task has no such limit; otherwise the same.
  void raise_limit(limit_kind kind, bytes new_limit);
  /// Replaces the time limit, which counts from the task's start and includes pauses.
  void extend_time(std::chrono::nanoseconds time);

  /// Words allocated by the task so far: exact, however its limits count; frees are not credited.
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
/// \tparam R what the function returns; not a reference.
template <class R>
class task : public task_base {
  static_assert(!std::is_reference_v<R>, "the task must not return a reference: return a pointer");
  static_assert(!detail::runs_later<R>, "the task must not be a coroutine: run it to its end");

 public:
  /// The first `resume` calls the function; it is destroyed with the task. What moving it throws
  /// comes out.
  /// \throws std::invalid_argument for an invalid limit or option.
  /// \throws not_active if nothing feeds the sampler.
  /// \throws std::logic_error in a plug-in that contains a copy of the library while another one
  ///   works for the process: link both with the shared libraries.
  template <class F>
  task(limits l, F&& f) : task(std::move(l), task_options{}, std::forward<F>(f)) {}
  template <class F>
  task(limits l, task_options const& options, F&& f) : task_base(std::move(l), options) {
    give_body(std::make_unique<detail::task_function_of<R, std::decay_t<F>>>(std::forward<F>(f)));
  }

  /// After the task has ended: returns what `run_limited` would have returned, or throws what the
  /// function threw. The value is moved out.
  /// \throws std::logic_error if it has not ended, or at a second call.
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

/// Pauses the calling task, with the reason `asked`, until it is resumed. A delivery point: a
/// cancellation is raised here.
///
/// \return true after a pause. False, at once, if there is nothing to pause: outside a task, in a
///   masked region, in a callback of the library, in a task that is being cancelled.
MEMPROF_API bool pause_point();

/// How many tasks were abandoned in this process: leaked, because they could not be unwound.
MEMPROF_API std::uint64_t abandoned_tasks() noexcept;

/// From now on reports an overflow of a task's stack on standard error: "memprof: a task ran over
/// the end of its stack ...". Off by default, because it installs a handler of SIGSEGV. A fault in
/// the guard of the running task is reported and then passed on like any other: to the handler that
/// was there before, or else the signal ends the process.
///
/// Each thread that resumes tasks gets an alternate signal stack from then on, unless it has one.
/// Frames larger than the guard (16 KiB) may step over it; -fstack-clash-protection prevents that.
/// \return false if the handler could not be installed.
MEMPROF_API bool report_stack_overflows() noexcept;

}  // namespace memprof::inline v0
