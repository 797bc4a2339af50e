// SPDX-License-Identifier: MIT
/// \file
/// One run of a scenario, with or without an interrupt, and its result.
#pragma once

#include <array>
#include <cstdint>
#include <exception>

#include "memprof/testing.hpp"

#include "engine/engine.hpp"
#include "limits/limits.hpp"

namespace memprof::inline v0::testing {

/// Plain data: a child process leaves it in shared memory, complete or not.
struct trial_result {
  memprof::detail::probe seen{};
  failure_kind what = failure_kind::none;
  std::array<char, 512> text{};  ///< detail of the failure, zero-terminated

  [[nodiscard]] bool delivered() const noexcept { return seen.delivered_at != 0; }
  [[nodiscard]] bool deferred() const noexcept {
    return seen.hit && seen.delivered_at != seen.wanted;
  }
};

/// Runs and judges points, in this process.
///
/// What the scenario allocates on this thread is charged to an account that goes through all runs,
/// so a block that takes the place of one of an earlier run adds nothing. With every word sampled
/// the account counts blocks exactly.
class trial {
 public:
  /// Throws std::bad_alloc if there is no memory for the account.
  trial(detail::subject const& s, interrupt_options const& options);
  ~trial();
  trial(trial const&) = delete;
  trial& operator=(trial const&) = delete;

  /// Runs once, without interrupt and leak check: fills caches, does lazy initialisation.
  void warm_up(trial_result& v) const { run(0, v); }

  /// Tries the point, and again if blocks were left behind: only what repeats itself is a leak.
  ///
  /// \param ordinal 0: without interrupt.
  /// \note Throws what `prepare` and `finish` throw.
  void judge(std::uint64_t ordinal, trial_result& v) const;

  [[nodiscard]] interrupt_options const& options() const noexcept { return options_; }

 private:
  void run(std::uint64_t ordinal, trial_result& v) const;
  void run_scenario(trial_result& v, std::exception_ptr& left) const;
  void run_check(interruption const& run, trial_result& v) const;

  detail::subject const& subject_;
  interrupt_options const& options_;
  engine::account* account_;
};

/// The same in a forked child; v.what says if it crashed or hung. Throws std::system_error.
void judge_isolated(trial const& t, std::uint64_t ordinal, trial_result& v);

}  // namespace memprof::inline v0::testing
