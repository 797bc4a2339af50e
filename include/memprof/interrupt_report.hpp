// SPDX-License-Identifier: MIT
/// \file
/// Options and report of interruption testing (`memprof/testing.hpp`).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memprof/detail/export.hpp"

namespace memprof::inline v0::testing {

struct interrupt_options {
  /// How many points to try at most. If the scenario has more, this many are chosen at random, by
  /// `seed`; `complete()` and the message say so. 0: all.
  std::uint64_t max_points = 10'000;
  /// For the choice of points, and for all sampling on this thread. Same seed, same run.
  std::uint64_t seed = 1;
  /// How often to try each point, at least 1.
  unsigned repeat = 1;
  /// Look for blocks that are left behind. Every block is then tracked, which takes some 110 bytes
  /// each; turn it off for scenarios that hold tens of millions of blocks.
  bool leak_check = true;
  /// The scenario may swallow the interrupt (streams do): not a failure.
  bool allow_swallowing = false;
  /// Hits a limit around the whole scenario, not the innermost one at the point.
  bool hit_outermost = false;
  /// Runs each point in a forked child, so that std::terminate, a crash or a hang is reported like
  /// any failure. The check runs there, too: let it return false or throw, because what a test
  /// framework counts in the child is lost. Not for scenarios that need other threads.
  bool isolate = false;
  /// With `isolate`: a child that takes longer is ended and reported as hanging.
  std::chrono::milliseconds hang_after{10'000};
  /// Goes on after a failure, so that the report has all of them: `failures`. A point that failed
  /// is not repeated. What a failure leaves broken can make later ones fail, too, unless each run
  /// has a state of its own (`make`, `isolate`). A failure without interrupt ends the test all the
  /// same.
  bool keep_going = false;
  /// No new point is begun after this time. If set, points are tried in a random order (by `seed`),
  /// so that each run of the test covers all parts of the scenario.
  std::optional<std::chrono::nanoseconds> time_limit = {};
};

/// One run of the scenario, for the check.
struct interruption {
  std::uint64_t ordinal = 0;               ///< of the point, from 1; 0: a run without interrupt
  bool delivered = false;                  ///< an interrupt was raised, at the point or after it
  bool deferred = false;                   ///< it could not be raised at the point
  std::exception_ptr exception = nullptr;  ///< that left the scenario; null if it returned
  [[nodiscard]] bool completed() const noexcept { return exception == nullptr; }
};

enum class failure_kind : std::uint8_t {
  none,
  check_failed,    ///< the check returned false
  check_threw,     ///< the check threw
  leak,            ///< blocks were left behind
  swallowed,       ///< the interrupt was not let through
  scenario_threw,  ///< without having been interrupted
  crashed,         ///< the process ended: std::terminate, a signal, exit (`isolate` only)
  hung,            ///< it did not end (`isolate` only)
  no_points,       ///< nothing in the scenario can be interrupted: the test tests nothing
};
MEMPROF_API std::string_view to_string(failure_kind kind) noexcept;

/// A return address, and its function if the symbols of the program and its libraries name it.
struct stack_frame {
  void const* address = nullptr;
  std::string function;       ///< demangled; empty if unknown
  std::string module;         ///< the file it comes from; empty if unknown
  std::uintptr_t offset = 0;  ///< in the module, as addr2line takes it
};

struct interrupt_failure {
  std::uint64_t ordinal = 0;  ///< of the point; 0: without interrupt
  std::uint64_t seed = 0;
  failure_kind what = failure_kind::none;
  std::string detail;  ///< what was thrown, or how much was left behind
  bool delivered = false;
  /// Where the interrupt was raised, or else due; innermost first, down to the scenario.
  std::vector<stack_frame> stack;
};

/// Points where the interrupt was deferred for the same reason.
struct deferral_group {
  std::string reason;
  std::string place;  ///< the function that caused it; empty if none did, or its name is unknown
  std::uint64_t points = 0;
  std::uint64_t first_ordinal = 0;
};

struct interrupt_report {
  std::uint64_t points = 0;     ///< delivery points in the scenario, without interrupt
  std::uint64_t tried = 0;      ///< runs with a point to be interrupted
  std::uint64_t delivered = 0;  ///< of these: raised at that very point
  std::uint64_t deferred = 0;   ///< of these: not raised at the point
  std::uint64_t late = 0;       ///< of the deferred: raised at a later point
  std::uint64_t unreached = 0;  ///< the run ended before the point: it allocates less at times
  std::uint64_t left_out = 0;   ///< points not tried: max_points, time_limit, or a failure before
  /// Runs without interrupt had the same points with the same sizes, and no point was unreached.
  /// Otherwise an ordinal names the same place in each run only by chance.
  bool deterministic = true;
  std::vector<deferral_group> deferrals;
  std::optional<interrupt_failure> first_failure;
  /// In the order in which they were found; with `keep_going` more than one.
  std::vector<interrupt_failure> failures;

  [[nodiscard]] bool ok() const noexcept { return !first_failure; }
  /// Every point was tried.
  [[nodiscard]] bool complete() const noexcept { return left_out == 0; }
  /// All of this as several lines of text, with what to do about a failure.
  [[nodiscard]] MEMPROF_API std::string message() const;
};

}  // namespace memprof::inline v0::testing
