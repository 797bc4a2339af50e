// SPDX-License-Identifier: MIT
/// \file
/// Interruption testing: does your code stay correct if an interrupt comes exactly here?
///
///     auto r = memprof::testing::for_each_interrupt(
///         [&] { ledger.transfer(a, b, 100); },                          // the scenario
///         [&] { return ledger.balanced() && ledger.is_unlocked(); });   // what must hold after it
///     REQUIRE(r.ok());        // with any test framework; r.message() says what broke, and where
///
/// The scenario runs once for each delivery point in it (throwing operator new,
/// memory_resource::allocate, allocator<T>::allocate, cancellation_point), with an interrupt at
/// exactly that point. The check runs after each of these runs. docs/testing.md shows how to use
/// it.
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

/// From now on the innermost limit that runs on this thread counts as hit. The next delivery point
/// of this thread raises its interrupt, if one may be raised there, without waiting for any grace.
///
/// It works with every limit function and with budgets, where only this run is hit. The error's
/// kind is the first that the limit names, in the order of `limit_kind`. For a limit that was hit
/// before, it requests one interrupt more.
///
/// \throws std::logic_error if no limit runs on this thread.
MEMPROF_API void force_interrupt();

/// True if a limit of this thread was hit (or forced) and its interrupt has not been raised since.
/// False outside any limit. Cost: some loads for each enclosing limit.
MEMPROF_API bool is_pending() noexcept;

/// Runs `scenario` once for each delivery point in it, with an interrupt at that point, and `check`
/// after each run; stops at the first failure.
///
/// First it runs three times or more without interrupt: to fill caches, to count the points, and to
/// make sure that check and leak check pass then. A point fails if
///  - the check returns false or throws;
///  - blocks that the scenario allocated on this thread are left behind, and again each time the
///    point is repeated (a cache that is filled once is not a leak);
///  - the scenario throws without having been interrupted;
///  - the scenario swallows the interrupt: the task of the limit that was hit returns normally;
///  - in a process of its own (`isolate`): the scenario ends the process, or hangs.
/// An exception that leaves the scenario after the interrupt is no failure.
///
/// A point where no interrupt may be raised (masked, noexcept, C code) is counted as deferred. The
/// interrupt then comes at the next point where it may be raised, and the run is checked like any
/// other.
///
/// \param scenario () -> anything. May call limit functions: the innermost limit at the point is
///   hit, or with `hit_outermost` a limit around the whole scenario. Sampled limits count every
///   word during the test, so runs do not depend on samples.
/// \param check () or (interruption const&) -> void or bool. Runs outside any limit, and is not
///   counted. Release here what the scenario kept, or it counts as left behind.
/// \throws std::logic_error if a limit runs on this thread.
/// \throws not_active if nothing feeds the sampler.
/// \throws std::invalid_argument for invalid options.
/// \note Threads: only the points of the calling thread. Other threads run undisturbed: what they
///   allocate is not counted; what they free of this thread's blocks is noticed.
/// \note Cost: about points^2 / 2 allocations of some 0.2 us each; see
///   `interrupt_options::max_points`.
///
/// With memprof::core alone, points and blocks are those of the explicit sources: what goes to
/// operator new is neither interrupted nor checked for leaks.
template <class Scenario, class Check>
requires(!std::convertible_to<Check, interrupt_options>) interrupt_report
    for_each_interrupt(Scenario&& scenario, Check&& check, interrupt_options const& options = {}) {
  detail::stateless<std::remove_reference_t<Scenario>, std::remove_reference_t<Check>> subject{
      scenario, check};
  return detail::sweep(subject.erased(), options, 0);
}

/// The same without a check: finds leaks, swallowed interrupts and the other failures above.
template <class Scenario>
interrupt_report for_each_interrupt(Scenario&& scenario, interrupt_options const& options = {}) {
  return for_each_interrupt(
      scenario, [] {}, options);
}

/// The same with a state that `make` creates for each run; `make` is not interrupted:
///
///     for_each_interrupt([] { return store("test"); },             // make
///                        [](store& s) { s.insert(key, value); },   // scenario
///                        [](store& s) { return s.is_valid(); });   // check
///
/// \param check (State&) or (State&, interruption const&) -> void or bool. Afterwards the state is
///   destroyed, and then leaks are looked for.
template <class Make, class Scenario, class Check>
requires(!std::convertible_to<Check, interrupt_options>) interrupt_report
    for_each_interrupt(Make&& make, Scenario&& scenario, Check&& check,
                       interrupt_options const& options = {}) {
  detail::with_state<std::remove_reference_t<Make>, std::remove_reference_t<Scenario>,
                     std::remove_reference_t<Check>>
      subject{make, scenario, check};
  return detail::sweep(subject.erased(), options, 0);
}

/// Tries one point again: the `ordinal` in a report, with the options of that report. A breakpoint
/// on `memprof::limit_exceeded::limit_exceeded` stops there.
///
/// \param ordinal from 1; 0: only the runs without interrupt.
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

/// For checks: true if another thread can lock `mutex`. Thus also finds a lock that this thread
/// still holds.
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
