// SPDX-License-Identifier: MIT
/// \file
/// Interruption testing: does code stay right when an interrupt comes exactly here?
///
///     auto r = memprof::testing::for_each_interrupt(
///         [&] { ledger.transfer(a, b, 100); },                          // the scenario
///         [&] { return ledger.balanced() && ledger.is_unlocked(); });   // what must hold after it
///     REQUIRE(r.ok());        // with any test framework; r.message() says what broke, and where
///
/// The scenario is run once for each delivery point in it (throwing operator new,
/// memory_resource::allocate, allocator<T>::allocate, cancellation_point), with an interrupt at
/// that very point, and after each run the check. docs/testing.md shows how to use it.
#pragma once

#include <concepts>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <utility>

#include "memprof/detail/export.hpp"
#include "memprof/detail/interrupt_sweep.hpp"
#include "memprof/interrupt_report.hpp"

namespace memprof::inline v0::testing {

/// From now on the innermost limit that runs on this thread counts as hit, and the next delivery
/// point of this thread raises its interrupt, if one may be raised there; no grace is waited for.
///
/// It works with every limit function and with budgets; of a budget it is this run that is hit. The
/// error's kind is the first that the limit names, in the order of `limit_kind`. On a limit that
/// was hit before it asks for one interrupt more.
///
/// throws      std::logic_error if no limit runs on this thread.
MEMPROF_API void force_interrupt();

/// True if a limit of this thread was hit (or forced) and its interrupt has not been raised since.
/// False outside any limit. Cost: some loads for each enclosing limit.
MEMPROF_API bool is_pending() noexcept;

/// Runs `scenario` once for each delivery point in it, with an interrupt at that point, and `check`
/// after each run; stops at the first failure.
///
/// First it runs without interrupt, three times or more: to fill caches, to count the points, and
/// to see that check and leak check hold then. What fails a point:
///  - the check returns false or throws;
///  - blocks that the scenario allocated on this thread are left behind, again each time the point
///    is repeated (a cache that is filled once is none);
///  - the scenario throws without having been interrupted;
///  - the scenario swallows the interrupt: the task of the limit that was hit returns normally;
///  - in a process of its own (`isolate`): the scenario ends the process, or hangs.
/// Exceptions that leave the scenario after the interrupt are as they should be.
///
/// A point where no interrupt may be raised (masked, noexcept, C code) is counted as deferred; the
/// interrupt then comes at the next point that takes it, and the run is checked like any other.
///
/// scenario    () -> anything. Its own limit functions work in it: the innermost limit at the point
///             is the one that is hit, or with `hit_outermost` one around the whole scenario.
///             Limits that sample count every word meanwhile, so runs do not depend on samples.
/// check       () or (interruption const&) -> void or bool. Runs outside any limit, and is not
///             counted. Give back there what the scenario kept, or it is left behind.
/// throws      std::logic_error if a limit runs on this thread; not_active if nothing feeds the
///             sampler; std::invalid_argument for options that make no sense.
/// threads     the points of the calling thread only. Other threads run on undisturbed; what they
///             allocate belongs to nobody here, what they free of this thread's is seen.
/// cost        about points^2 / 2 allocations, each some 0.2 us; see
///             `interrupt_options::max_points`.
///
/// With memprof::core alone the points and blocks are those of the explicit sources; what goes
/// to operator new is neither interrupted nor looked at for leaks.
template <class Scenario, class Check>
requires(!std::convertible_to<Check, interrupt_options>) interrupt_report
    for_each_interrupt(Scenario&& scenario, Check&& check, interrupt_options const& options = {}) {
  detail::stateless<std::remove_reference_t<Scenario>, std::remove_reference_t<Check>> subject{
      scenario, check};
  return detail::sweep(subject.erased(), options, 0);
}

/// The same without a check: leaks, swallowed interrupts and the like only.
template <class Scenario>
interrupt_report for_each_interrupt(Scenario&& scenario, interrupt_options const& options = {}) {
  return for_each_interrupt(
      scenario, [] {}, options);
}

/// The same with a state made anew for each run by `make`, which is not interrupted:
///
///     for_each_interrupt([] { return store("test"); },             // make
///                        [](store& s) { s.insert(key, value); },   // scenario
///                        [](store& s) { return s.is_valid(); });   // check
///
/// check       (State&) or (State&, interruption const&) -> void or bool. The state is destroyed
///             after it; leaks are looked for after that.
template <class Make, class Scenario, class Check>
requires(!std::convertible_to<Check, interrupt_options>) interrupt_report
    for_each_interrupt(Make&& make, Scenario&& scenario, Check&& check,
                       interrupt_options const& options = {}) {
  detail::with_state<std::remove_reference_t<Make>, std::remove_reference_t<Scenario>,
                     std::remove_reference_t<Check>>
      subject{make, scenario, check};
  return detail::sweep(subject.erased(), options, 0);
}

/// One point again: the `ordinal` that a report named, with the options of that report. Set a
/// breakpoint on `memprof::limit_exceeded::limit_exceeded` to stop there.
///
/// ordinal     from 1; 0 runs without interrupt only.
template <class Scenario, class Check>
requires(!std::convertible_to<Check, interrupt_options>) interrupt_report
    replay_interrupt(std::uint64_t ordinal, Scenario&& scenario, Check&& check,
                     interrupt_options const& options = {}) {
  detail::stateless<std::remove_reference_t<Scenario>, std::remove_reference_t<Check>> subject{
      scenario, check};
  return detail::sweep(subject.erased(), options, ordinal + 1);
}

template <class Make, class Scenario, class Check>
requires(!std::convertible_to<Check, interrupt_options>) interrupt_report
    replay_interrupt(std::uint64_t ordinal, Make&& make, Scenario&& scenario, Check&& check,
                     interrupt_options const& options = {}) {
  detail::with_state<std::remove_reference_t<Make>, std::remove_reference_t<Scenario>,
                     std::remove_reference_t<Check>>
      subject{make, scenario, check};
  return detail::sweep(subject.erased(), options, ordinal + 1);
}

/// For checks: true if `mutex` can be locked, asked by another thread, so that a lock left held by
/// this one is found, too.
template <class Mutex>
bool is_unlocked(Mutex& mutex) {
  bool locked = false;
  std::thread([&] {
    locked = mutex.try_lock();
    if (locked) mutex.unlock();
  }).join();
  return locked;
}

}  // namespace memprof::inline v0::testing
