// SPDX-License-Identifier: MIT
/// \file
/// The limits: run a function, and have it interrupted when it takes too much.
///
///     auto r = memprof::limit_allocations(100_MiB, [&] { return parse(untrusted); });
///     if (r) use(r->value);
///     else   log(r.error().message());     // the parse was unwound; the program lives on
///
/// Rules that hold for every function here:
///  - The result is an error if and only if this limit was hit in this task, however the task
///    ended. Otherwise what the task returns or throws comes out unchanged.
///  - A limit binds the calling thread. Other threads count only if they run under the same
///    `budget`. Limits nest: every enclosing limit is charged.
///  - An amount that is negative or over `max_allocation_limit` is `std::invalid_argument`; if
///    nothing feeds the sampler, `not_active` is thrown. In both cases the task is not run.
///  - A task that returns a reference does not compile: return a pointer. Neither does a coroutine,
///    which would run after the limit function has returned.
///  - A task ends on the thread that it began on, and before the limits around it. If one was held
///    across a foreign fiber's switch, the process ends with a message when the thread's limits are
///    found out of order. longjmp ends the limits that it passes: they are dropped once code
///    further out on the stack allocates, asks or enters a limit.
///  - Entering and leaving a scope costs some tens of nanoseconds and allocates nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>
#include <version>

#include "memprof/ceiling.hpp"
#include "memprof/detail/export.hpp"
#include "memprof/detail/run.hpp"
#include "memprof/estimate.hpp"
#include "memprof/interrupted.hpp"
#include "memprof/soft_limit.hpp"
#include "memprof/token.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {

template <class T>
using result = std::expected<T, interrupted>;

/// A value, and what the task allocated to make it.
///
///  - `allocated`: words allocated by the task on its thread, frees not credited. Exact, also with
///    `counting::sampled`: there it is the limit that goes by samples. (A count of samples would be
///    too low for tasks that came near their limit, because those with more samples were
///    interrupted.) In a `budget` it is what this run allocated, on its own thread;
///    `budget::allocated` adds up the runs of all threads.
template <class T>
struct counted {
  T value;
  bytes allocated;
};
template <>
struct counted<void> {
  bytes allocated;
};

/// How an allocation limit counts.
///
///  - `sampled`: each sample counts the mean interval S; the interrupt comes at sample number
///    max(1, ceil(limit / S)).
///  - `exact`: every word counts; the interrupt comes at the allocation that would cross the limit,
///    the same one in every run. It costs the same. In a `budget` with several runs at a time it
///    never comes too early, and too late by less than 1000 words for each other run: each charges
///    the account at least that often, and more often when less is left. For live memory there is
///    no exact count.
enum class counting : std::uint8_t { sampled, exact };

/// Whether an interrupt is raised where a handler of the program (`catch (...)`, `catch
/// (std::exception const&)`) may swallow it or throw something else in its place.
///
///  - `deliver`: raise it, like any bad_alloc. A task that swallows it is interrupted again after
///    `limits::grace`, and its result is the error all the same. Inside the standard library's own
///    streams, locales and futures it first waits for a better place, because it would leave the
///    stream bad or the promise broken. It is raised there after 64 attempts, or once the task has
///    taken as much again as its limit (without a limit on an amount: as much as it had taken, at
///    least 1 MiB).
///  - `defer`: wait for a place from which it reaches the limit function. A program that runs
///    everything under a `catch (...)` is then never interrupted.
enum class handler_policy : std::uint8_t { deliver, defer };

/// What malloc, calloc, realloc and the like give to a task whose limit was hit. They cannot throw,
/// so such a task is stopped by its next operator new only, and a library that is written in C
/// never comes to one.
///
/// A `memprof::task` that pauses at its limit is served until it has paused.
///
///  - `serve`: memory, as always.
///  - `refuse`: null, errno ENOMEM, from the request that would cross the limit until the limit
///    function returns: libraries written in C are built for that, and return an error of their
///    own. Nothrow operator new returns null as well. Served all the same: requests in masked
///    regions and while an exception unwinds the stack, a realloc that shrinks, code from which a
///    std::bad_alloc would meet std::terminate (noexcept functions of C++: docs/recovering.md), and
///    callers that would end the process: the C++ runtime, the loader, GLib (but g_try_malloc and
///    the like), gRPC, functions called xmalloc, malloc_or_die and so on. For tasks whose C code
///    checks what malloc returns: other code dereferences null.
///  - `refuse_large`: null for a single request over what the limit has left; smaller ones are
///    served. So one huge buffer is refused, and the library has what it needs to report the error.
///    What is left of a limit on `memory` grows when the task frees. Nothing is left of a token, a
///    deadline, the process's limit, or the `allocations` of a budget: then it is the same as
///    `refuse`.
///  - `refuse_with_grace`: null as with `refuse`, but after each null `limits::grace` more is
///    served. For interpreters, which need memory to report the error and to leave blocks. A task
///    that ignores the error gets the next null when the grace is used up.
///
/// set_malloc_after_hit_in_module (memprof/delivery.hpp) sets it for the callers in one library.
enum class malloc_policy : std::uint8_t { serve, refuse, refuse_large, refuse_with_grace };

/// The largest amount that a limit may have.
inline constexpr bytes max_allocation_limit{std::numeric_limits<std::int64_t>::max() / 8 * 8};

/// Several limits at once, for `run_limited` and `budget`. A limit that is left out does not bind.
struct limits {
  std::optional<bytes> allocations = {};  ///< words allocated
  std::optional<bytes> memory = {};       ///< estimated live memory of the task
  bool global_memory = false;             ///< the process's limit binds this task
  std::optional<memprof::token> token = {};
  std::optional<std::chrono::nanoseconds> time = {};  ///< from the start of each run
  /// A point in time, for a request that has one deadline however many runs it takes. The earlier
  /// one of both counts. A run that begins later is not begun.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  /// Interrupts the task soon after it returns true, like a token with the reason "cancel_if": for
  /// a cancellation of another library, such as gRPC's `IsCancelled`. Called with the latency of a
  /// token, on the task's thread (of a `budget`: on several at once), at places where an interrupt
  /// may be raised; with a `malloc_after_hit` that refuses, also inside malloc, where null may be
  /// returned, but not when the C library calls it. So it must not wait for what the task may hold
  /// while it allocates. It must not throw. What it allocates is not counted.
  std::function<bool()> cancel_if = {};
  counting count = counting::sampled;
  /// A token or deadline that passed makes an error even if no check in the task has seen it.
  bool strict = false;
  /// What a task that swallowed the interrupt may still allocate before it is raised again. A
  /// tenth of it is left after the second time, and nothing from then on.
  words grace{10'000};
  handler_policy handlers = handler_policy::deliver;
  malloc_policy malloc_after_hit = malloc_policy::serve;
  std::vector<soft_limit> soft = {};
  std::optional<memprof::ceiling> ceiling = {};
  /// The accepted probability, in [1e-300, 1/2], of interrupting a task that kept its limit. The
  /// interrupt then waits until the lower bound of the amount is over the limit, and soft limits
  /// are called as soon as the upper bound reaches them; both bounds have this error probability.
  /// nullopt: the estimate itself is compared, which is too high as often as too low.
  /// It holds for the whole life of the task (of a `budget`: of all its runs), for each limit.
  /// Live memory goes up and down and is compared at every sample; each of these looks may spend a
  /// part of the probability, the later the less: docs/statistical.md (27a). An amount that is
  /// counted exactly has no error.
  std::optional<double> false_interrupt_probability = {};
  /// The rate at which the task's blocks are sampled when its live memory is at the limit on
  /// `memory`. Up to half the limit they are sampled at `limit_sampling_rate`, which can then be
  /// coarse; from there the rate rises by factors of two, and falls again with the memory. Each
  /// block keeps the weight it was sampled with, so estimates stay unbiased. This pays for tasks
  /// that allocate much on their way to the limit; docs/statistical.md says how much. A rate below
  /// `limit_sampling_rate` has no effect. Other limits continue to count at their own rate.
  std::optional<sampling_rate> finest_rate = {};
  /// How many call stacks the error shall have of the task's live memory, and of what it allocated,
  /// at most `most_explained_stacks`: `interrupted::live_stacks`, `allocated_stacks`. 0: none, and
  /// no cost. Otherwise the stack of each sampled block of the task is taken and summed in a table
  /// of the task (54 KB; what finds no room there is summed as one): some 0.5 us for each sample
  /// (80 kB allocated at the default rate) under a stack of 16 frames. Stacks that differ are kept
  /// for the rest of the process, up to 64 MiB.
  unsigned explain = 0;
};

/// Words allocated by the task on this thread; frees are not credited.
///
/// \param limit 0 interrupts at the first sample.
/// \return the value and the words allocated, or the error.
template <class F>
auto limit_allocations(bytes limit, F&& f) -> result<counted<std::invoke_result_t<F>>>;

/// Estimated live memory of the task: the blocks it allocated that no thread has freed yet.
///
/// The relative error at the limit is about sqrt(S / limit): 3.5 % at 64 MiB and the default rate.
/// Blocks may outlive the task; they then count for it no longer.
template <class F>
auto limit_memory(bytes limit, F&& f) -> result<std::invoke_result_t<F>>;

/// Interrupts the task while the estimated live major heap of the process is over the limit given
/// to `set_global_memory_limit`.
template <class F>
auto limit_global_memory(F&& f) -> result<std::invoke_result_t<F>>;

/// Sets the limit that `limit_global_memory` enforces.
///
/// \param limit nullopt: none, the default. 0: every task under a global limit is interrupted at
///   its first allocation.
/// \throws std::invalid_argument if negative or over `max_allocation_limit`.
/// \note Threads: any, at any time.
MEMPROF_API void set_global_memory_limit(std::optional<bytes> limit);
[[nodiscard]] MEMPROF_API std::optional<bytes> global_memory_limit() noexcept;

/// Which task the global memory limit interrupts.
///
///  - `allocating`: the task that allocates (the default, and memprof-limits' rule).
///  - `largest`: the task with the most live memory among those under a global limit, counting the
///    request that would cross it; of a `budget`, what all its runs hold. Other tasks that would
///    cross the limit wait inside their allocation until the victim has made room, for
///    `global_memory_patience` at most, and are interrupted then. They do not wait in masked
///    regions, nor while an exception unwinds the stack. If the victim is not gone by then, or
///    memory has grown by an eighth of the limit all the same, the next largest is chosen, too.
enum class victim : std::uint8_t { allocating, largest };
MEMPROF_API void set_global_memory_victim(victim which) noexcept;
[[nodiscard]] MEMPROF_API victim global_memory_victim() noexcept;

/// How long a task waits for the victim of `victim::largest` to make room. The victim may wait for
/// a lock that this task holds, or run long where it cannot be interrupted.
///
/// \param time default: 1 s. 0: it does not wait, but is interrupted.
/// \throws std::invalid_argument if negative.
/// \note Threads: any, at any time.
MEMPROF_API void set_global_memory_patience(std::chrono::nanoseconds time);
[[nodiscard]] MEMPROF_API std::chrono::nanoseconds global_memory_patience() noexcept;

/// Interrupts the task soon after `t` is set: within 1000 words of allocation, or at the next
/// `cancellation_point`. If `t` is already set, returns the error without running the task.
template <class F>
auto limit_with_token(token const& t, F&& f) -> result<std::invoke_result_t<F>>;
#if defined(__cpp_lib_jthread)  // libc++ 18 to 19: with -fexperimental-library only
template <class F>
auto limit_with_token(std::stop_token const& t, F&& f) -> result<std::invoke_result_t<F>>;
#endif

/// Interrupts the task when `time` (>= 0) has passed on the steady clock, with the same latency as
/// for a token. Uses no thread and no timer.
template <class F>
auto limit_time(std::chrono::nanoseconds time, F&& f) -> result<std::invoke_result_t<F>>;

/// Several limits at once; the error names the one that fired first.
template <class F>
auto run_limited(limits const& l, F&& f) -> result<counted<std::invoke_result_t<F>>>;

class budget_handle;
template <class Executor>
class limited_executor;

/// One account for several threads, or for several tasks one after another.
///
/// Each thread calls `run`. All runs are charged to the same account, and all are interrupted when
/// it is exhausted. Allocations that are used up stay used up. Live memory that was freed is
/// available again to runs that begin after the interrupted ones have ended. `time` counts from
/// the start of each run. The budget must outlive its runs, but not the blocks they allocated.
///
/// \note Threads: all members may be called at the same time.
class MEMPROF_API budget {
 public:
  /// \throws std::invalid_argument as the limit functions do.
  explicit budget(limits l);
  ~budget();
  budget(budget const&) = delete;
  budget& operator=(budget const&) = delete;

  template <class F>
  auto run(F&& f) -> result<counted<std::invoke_result_t<F>>>;

  /// Words allocated by all runs so far, exactly. Of a run in progress (on any thread) all but its
  /// latest words, less than 1000 unless it is being interrupted.
  [[nodiscard]] bytes allocated() const noexcept;
  /// Estimated live memory of all runs, including blocks that outlived their run; confidence 0.95.
  [[nodiscard]] estimate live() const noexcept;

  /// For tasks that hop from thread to thread: `memprof/coroutine.hpp`.
  [[nodiscard]] budget_handle handle() const noexcept;
  /// An executor of Asio that runs each function under this budget. Defined in `memprof/asio.hpp`.
  template <class Executor>
  [[nodiscard]] limited_executor<Executor> executor(Executor inner) const noexcept;
  /// The first interrupt of a part of such a task; nullopt if there was none.
  [[nodiscard]] std::optional<interrupted> interruption() const;

 private:
  detail::run_report run_erased(detail::task_function task, void* context);

  std::shared_ptr<detail::shared_account> account_;
};

/// The budget that this thread runs under, the innermost of several; empty if there is none.
/// Cost: some loads for each enclosing limit.
[[nodiscard]] MEMPROF_API budget_handle current_budget() noexcept;

/// A share in a budget. It keeps the account when the budget itself is gone, so that the last part
/// of a task can end in peace. May be empty.
///
/// \note Threads: as a std::shared_ptr.
class MEMPROF_API budget_handle {
 public:
  budget_handle() noexcept = default;
  [[nodiscard]] explicit operator bool() const noexcept { return account_ != nullptr; }

  /// Runs f, a part of a task that goes on later and elsewhere: a handler, a coroutine up to its
  /// next suspension. As `budget::run`, except that
  ///  - f is always called, also when the limit was hit or the deadline passed before: the task
  ///    must be able to end, and whoever waits for it to go on. The interrupt is raised inside;
  ///  - once it was raised, a later part gets `limits::grace` (and after the second time a tenth of
  ///    it) before it is raised again, so that frames and libraries around the task can end, too;
  ///  - an exception that leaves f in an interrupted part ends here. See `interruption`.
  /// Inside a part of the same budget, or empty, it only calls f.
  ///
  /// \note Throws what leaves f in a part that was not interrupted.
  template <class F>
  void resume(F&& f) const;

  [[nodiscard]] std::optional<interrupted> interruption() const;

  friend bool operator==(budget_handle const&, budget_handle const&) noexcept = default;

 private:
  friend class budget;
  friend budget_handle current_budget() noexcept;
  explicit budget_handle(std::shared_ptr<detail::shared_account> account) noexcept
      : account_(std::move(account)) {}
  void resume_erased(detail::task_function task, void* context) const;

  std::shared_ptr<detail::shared_account> account_;
};

/// True in a task from the moment its limit, or an enclosing one, is hit until the limit function
/// returns. In a clean-up: true if an interrupt caused it. False in other threads.
/// Cost: some loads, and a clock reading if there is a deadline.
MEMPROF_API bool is_interrupted() noexcept;

/// Raises a pending interrupt here, if it may be raised here. For long work that allocates little.
/// Checks tokens, deadlines and the global limit.
///
/// \throws limit_exceeded if an interrupt is pending.
MEMPROF_API void cancellation_point();

}  // namespace memprof::inline v0

#include "memprof/detail/limit_functions.hpp"
