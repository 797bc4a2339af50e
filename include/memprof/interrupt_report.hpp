// SPDX-License-Identifier: MIT
/// \file
/// What goes into interruption testing besides the code under test, and what comes out of it.
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
  /// At most so many points; if the scenario has more, so many of them at random, by `seed`.
  /// 0: all. What was left out is told by `complete()` and the message.
  std::uint64_t max_points = 10'000;
  /// For the choice of points, and for all sampling on this thread. Same seed, same run.
  std::uint64_t seed = 1;
  /// Each point so many times, at least 1.
  unsigned repeat = 1;
  /// Every block is tracked for it, small ones in a page of their own; turn it off for scenarios
  /// that hold millions of blocks.
  bool leak_check = true;
  /// A scenario may swallow the interrupt (streams do): no failure.
  bool allow_swallowing = false;
  /// Hits a limit around the whole scenario, not the innermost one that runs at the point.
  bool hit_outermost = false;
  /// Each point in a forked child, so that std::terminate, a crash or a hang is reported like any
  /// failure. The check runs there, too: let it return false or throw, for what a test framework
  /// counts in the child is lost. Not for scenarios that need other threads.
  bool isolate = false;
  /// With `isolate`: a child that takes longer is ended and reported as hanging.
  std::chrono::milliseconds hang_after{10'000};
  /// No new point is begun after this time; points are then taken in a random order (by `seed`), so
  /// that each run of the test covers all parts of the scenario.
  std::optional<std::chrono::nanoseconds> time_limit = {};
};

/// One run of the scenario, as the check may see it.
struct interruption {
  std::uint64_t ordinal = 0;               ///< of the point, from 1; 0: a run without interrupt
  bool delivered = false;                  ///< an interrupt was raised, at the point or after it
  bool deferred = false;                   ///< not at the point: it had to wait
  std::exception_ptr exception = nullptr;  ///< what left the scenario; null if it returned
  [[nodiscard]] bool completed() const noexcept { return exception == nullptr; }
};

enum class failure_kind : std::uint8_t {
  none,
  check_failed,    ///< the check returned false
  check_threw,     ///< the check threw
  leak,            ///< blocks were left behind
  swallowed,       ///< the interrupt was not let through
  scenario_threw,  ///< without having been interrupted
  crashed,         ///< the process was ended: std::terminate, a signal, exit (`isolate` only)
  hung,            ///< it did not end (`isolate` only)
  no_points,       ///< nothing in the scenario can be interrupted: the test tests nothing
};
MEMPROF_API std::string_view to_string(failure_kind kind) noexcept;

/// A return address, and its name as far as symbols of the program and its libraries tell.
struct stack_frame {
  void const* address = nullptr;
  std::string function;       ///< demangled; empty if unknown
  std::string module;         ///< file it comes from; empty if unknown
  std::uintptr_t offset = 0;  ///< in the module: what addr2line wants
};

struct interrupt_failure {
  std::uint64_t ordinal = 0;  ///< of the point; 0: without interrupt
  std::uint64_t seed = 0;
  failure_kind what = failure_kind::none;
  std::string detail;  ///< what was thrown, how much was left behind
  bool delivered = false;
  /// Where the interrupt was raised (else: where it was wanted), innermost first; down to the
  /// scenario.
  std::vector<stack_frame> stack;
};

/// Points where the interrupt had to wait for the same reason.
struct deferral_group {
  std::string reason;
  std::string place;  ///< function that refused; empty if none did, or its name is unknown
  std::uint64_t points = 0;
  std::uint64_t first_ordinal = 0;
};

struct interrupt_report {
  std::uint64_t points = 0;     ///< delivery points in the scenario, without interrupt
  std::uint64_t tried = 0;      ///< runs with a point to be interrupted
  std::uint64_t delivered = 0;  ///< of these: raised at the very point
  std::uint64_t deferred = 0;   ///< had to wait
  std::uint64_t late = 0;       ///< of the deferred: raised at a later point
  std::uint64_t unreached = 0;  ///< the run ended before the point: it allocates less at times
  std::uint64_t left_out = 0;   ///< points not tried: max_points, time_limit, or a failure before
  /// Runs without interrupt had the same points, asking for the same sizes, and none was unreached.
  /// If not, an ordinal names the same place in each run only by chance.
  bool deterministic = true;
  std::vector<deferral_group> deferrals;
  std::optional<interrupt_failure> first_failure;

  [[nodiscard]] bool ok() const noexcept { return !first_failure; }
  /// Every point was tried.
  [[nodiscard]] bool complete() const noexcept { return left_out == 0; }
  /// All of this for a person, in several lines; what to do about a failure, too.
  [[nodiscard]] MEMPROF_API std::string message() const;
};

}  // namespace memprof::inline v0::testing
