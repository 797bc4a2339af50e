// SPDX-License-Identifier: MIT
/// \file
/// The limits: run a function, and have it interrupted when it takes too much.
///
///     auto r = memprof::limit_allocations(100_MiB, [&] { return parse(untrusted); });
///     if (r) use(r->value);
///     else   log(r.error().message());     // the parse was unwound; the program lives on
///
/// Rules that hold for every function here:
///  - The result is an error exactly if this limit was hit in this task, however the task ended.
///    If it was not hit, what the task returns or throws comes out unchanged.
///  - A limit binds the thread that called; other threads are not counted, unless they run under
///    the same `budget`. Limits nest: every enclosing limit is charged.
///  - An amount that is negative or over `max_allocation_limit` is `std::invalid_argument`; if
///    nothing feeds the sampler, `not_active` is thrown. The task is not run then.
///  - Functions returning references are refused at compile time: return a pointer. So are
///    coroutines, which would run after the limit function has returned.
///  - A task ends on the thread that it began on, and before the limits around it. One that is held
///    across a foreign fiber's switch, or left by longjmp, ends the process with a message when the
///    thread's limits are found out of order.
///  - Cost of a scope: some tens of nanoseconds to enter and leave; nothing is allocated.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <limits>
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

/// A value, and what the task took to make it.
///
/// allocated   words allocated by the task, frees not credited. Sampled: unbiased, a multiple of
///             the mean interval, standard deviation sqrt(allocated x S). Exact: exact.
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
/// sampled     each sample counts the mean interval S; the interrupt comes at sample number
///             max(1, ceil(limit / S)).
/// exact       every word counts; the interrupt comes at the allocation that would cross the
///             limit, the same one in every run. In a `budget` each allocation then costs an
///             atomic addition.
enum class counting : std::uint8_t { sampled, exact };

/// Whether an interrupt is raised where a handler of the program (`catch (...)`, `catch
/// (std::exception const&)`) may end it or throw something else in its place.
///
/// deliver     it is, as any bad_alloc would be; a task that goes on is interrupted again after
///             `limits::grace`, and its result is the error all the same. In the standard
///             library's own streams, locales and futures it waits for a better place: it would
///             leave the stream bad, the promise broken. It is raised there after 64 tries, or
///             once the task has taken as much again as its limit (without a limit on an amount:
///             as it had taken, 1 MiB at least).
/// defer       it is not: it waits for a place from which it reaches the limit function. A program
///             that runs everything under a `catch (...)` is then never interrupted.
enum class handler_policy : std::uint8_t { deliver, defer };

/// What malloc, calloc, realloc and the like give to a task whose limit was hit. They cannot throw,
/// so such a task is stopped by its next operator new only, and a library that is written in C
/// never comes to one.
///
/// serve       memory, as ever.
/// refuse      null, errno ENOMEM, from the request that would cross the limit until the limit
///             function returns: libraries written in C are built for that, and return an error of
///             their own. Nothrow operator new returns null as well. Served all the same: requests
///             in masked regions and while an exception unwinds the stack, a realloc that shrinks,
///             and callers that would end the process: the C++ runtime, the loader, functions
///             called g_malloc, xmalloc and so on. For tasks whose C code checks what malloc
///             returns: other code dereferences null.
enum class malloc_policy : std::uint8_t { serve, refuse };

/// The largest amount that a limit may have.
inline constexpr bytes max_allocation_limit{std::numeric_limits<std::int64_t>::max() / 8 * 8};

/// Several limits at once, for `run_limited` and `budget`. Those left out do not bind.
struct limits {
  std::optional<bytes> allocations = {};  ///< words allocated
  std::optional<bytes> memory = {};       ///< estimated live memory of the task
  bool global_memory = false;             ///< the process's limit binds this task
  std::optional<memprof::token> token = {};
  std::optional<std::chrono::nanoseconds> time = {};  ///< from the start of each run
  counting count = counting::sampled;
  /// A token or deadline that passed makes an error even if the task finished undisturbed.
  bool strict = false;
  /// What a task that swallowed the interrupt may still allocate before it is raised again. A
  /// tenth of it is left after the second time, and nothing from then on.
  words grace{10'000};
  handler_policy handlers = handler_policy::deliver;
  malloc_policy malloc_after_hit = malloc_policy::serve;
  std::vector<soft_limit> soft = {};
  std::optional<memprof::ceiling> ceiling = {};
  /// How likely, in [1e-300, 1/2], an interrupt may be although the limit was kept. It then comes
  /// when the amount is over the limit for sure but for this chance (its lower bound is over it),
  /// and soft limits are called when the amount may have reached them (its upper bound has).
  /// nullopt: estimates are taken at their word, too high as often as too low. For `allocations`
  /// the chance is that of a whole run; live memory that goes up and down is looked at again and
  /// again, and it is that of a look. An amount that is counted exactly has no error.
  std::optional<double> false_interrupt_probability = {};
  /// The rate at which the task's blocks are sampled when its live memory is at the limit on
  /// `memory`. From half the limit on the rate rises, in steps of two, from that of the limits
  /// (`limit_sampling_rate`), which can then be coarse, and it falls again with the memory. Each
  /// block keeps the weight it was sampled with, so estimates stay unbiased. Worth it for tasks
  /// that allocate much on their way to the limit, docs/statistical.md says how much. A rate below
  /// that of the limits does nothing. Other limits go on counting at theirs.
  std::optional<sampling_rate> finest_rate = {};
};

/// Words allocated by the task on this thread; frees are not credited.
///
/// limit       0 interrupts at the first sample.
/// returns     the value and what it took, or the error.
template <class F>
auto limit_allocations(bytes limit, F&& f) -> result<counted<std::invoke_result_t<F>>>;

/// Estimated live memory of the task: blocks it allocated that are not freed yet, by whomever.
///
/// The relative error at the limit is about sqrt(S / limit): 3.5 % at 64 MiB and the default rate.
/// Blocks that outlive the task are safe, and no longer its business.
template <class F>
auto limit_memory(bytes limit, F&& f) -> result<std::invoke_result_t<F>>;

/// Interrupts the task while the estimated live major heap of the process is over the limit given
/// to `set_global_memory_limit`.
template <class F>
auto limit_global_memory(F&& f) -> result<std::invoke_result_t<F>>;

/// nullopt: off, the default. May be called at any time from any thread. 0: every task under a
/// global limit is interrupted at its first allocation.
/// throws      std::invalid_argument if negative or over `max_allocation_limit`.
MEMPROF_API void set_global_memory_limit(std::optional<bytes> limit);
[[nodiscard]] MEMPROF_API std::optional<bytes> global_memory_limit() noexcept;

/// Whom the global memory limit interrupts.
///
/// allocating  the task that allocates (upstream's rule, the default).
/// largest     the task with the most live memory among those under a global limit; the next
///             largest as well if memory keeps growing by an eighth of the limit meanwhile.
enum class victim : std::uint8_t { allocating, largest };
MEMPROF_API void set_global_memory_victim(victim who) noexcept;
[[nodiscard]] MEMPROF_API victim global_memory_victim() noexcept;

/// Interrupts the task soon after `t` is set: within 1000 words of allocation, or at the next
/// `cancellation_point`. A token that is set already makes the error at once, the task not run.
template <class F>
auto limit_with_token(token const& t, F&& f) -> result<std::invoke_result_t<F>>;
#if defined(__cpp_lib_jthread)  // libc++ 18 to 19: with -fexperimental-library only
template <class F>
auto limit_with_token(std::stop_token const& t, F&& f) -> result<std::invoke_result_t<F>>;
#endif

/// Interrupts the task when `time` (>= 0) has passed on the steady clock, with the latency of a
/// token. No thread and no timer is used.
template <class F>
auto limit_time(std::chrono::nanoseconds time, F&& f) -> result<std::invoke_result_t<F>>;

/// Several limits at once; the error names the one that fired first.
template <class F>
auto run_limited(limits const& l, F&& f) -> result<counted<std::invoke_result_t<F>>>;

/// One account for several threads, or for several tasks one after another.
///
/// Each thread calls `run`; all are charged to the same account, and when it is exhausted every
/// run of it is interrupted. Used-up allocations stay used up; live memory that was given back is
/// free again for runs that begin after the interrupted ones have ended. `time` counts from the
/// start of each run. The budget must outlive its runs, not the blocks they allocated.
///
/// threads     all members may be called at the same time.
class MEMPROF_API budget {
 public:
  /// throws      std::invalid_argument as the limit functions do.
  explicit budget(limits l);
  ~budget();
  budget(budget const&) = delete;
  budget& operator=(budget const&) = delete;

  template <class F>
  auto run(F&& f) -> result<counted<std::invoke_result_t<F>>>;

  /// Words allocated by all runs so far, those going on included up to their latest sample.
  [[nodiscard]] bytes allocated() const noexcept;
  /// Estimated live memory of all runs, blocks that outlived theirs included; confidence 0.95.
  [[nodiscard]] estimate live() const noexcept;

 private:
  detail::run_report run_erased(detail::task_function task, void* context);

  limits limits_;
  detail::shared_account* account_;
};

/// True in a task whose limit, or an enclosing one, was hit, from that moment until the limit
/// function returns. In a clean-up: true if it is due to an interrupt. False in other threads.
/// Cost: some loads; with a deadline a clock reading.
MEMPROF_API bool is_interrupted() noexcept;

/// Delivers here if an interrupt is pending and may be raised here: for long work that allocates
/// little. Tokens, deadlines and the global limit are looked at.
///
/// throws      limit_exceeded.
MEMPROF_API void cancellation_point();

}  // namespace memprof::inline v0

#include "memprof/detail/limit_functions.hpp"
