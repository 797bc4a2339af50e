// SPDX-License-Identifier: MIT
/// \file
/// Watches the memory of a program that runs, and does what was asked for at its limits.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "recorder/recorder.hpp"
#include "tools/kill_cause.hpp"
#include "tools/run/control_group.hpp"
#include "tools/run/limit_levels.hpp"
#include "tools/run/limit_report.hpp"
#include "tools/run/look_jobs.hpp"
#include "tools/run/memory_pressure.hpp"
#include "tools/run/process_group.hpp"
#include "tools/run/recorded_processes.hpp"
#include "tools/run/report_writer.hpp"
#include "tools/run/resident_notice.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/unrecorded_memory.hpp"

namespace memprof::tools {

/// What is known of the processes that run now, without stacks.
///
///  - `samples`: of all allocations, also of processes that have ended; 0 without sums.
struct watched_counts {
  limit_report now;
  double rate = 0;
  double soft = 0, hard = 0;
  std::uint64_t samples = 0;
  std::uint64_t reports = 0;
  std::uint64_t refused = 0;
};

/// The program and the processes that it starts count together. What a child has from its parent
/// by fork counts for the parent.
///
/// \note Threads: `sink_of` and `after_look`: the recorder's. The others: any.
class limit_watch {
 public:
  /// \param group null: the program has none of its own.
  limit_watch(run_options const& options, kill_cause& cause, report_writer& reports,
              control_group* group);
  limit_watch(limit_watch const&) = delete;
  limit_watch& operator=(limit_watch const&) = delete;

  /// Before there is a program: its first requests may be refused.
  void prepare(recorder::recording& by);
  /// Before the recorder's thread begins.
  void started(pid_t program);
  /// For recording_options.
  std::unique_ptr<recorder::process_sink> sink_of(pid_t process, bool visible);
  std::chrono::milliseconds after_look(std::vector<pid_t> const& living) noexcept;

  /// Before the recorder may end.
  ///
  /// \param signal the one that ended it, or 0.
  void program_ended(int signal) noexcept {
    program_was_killed_.store(signal == SIGKILL, std::memory_order_relaxed);
  }
  void ask_for_report() noexcept { asked_.store(true, std::memory_order_relaxed); }
  /// The program goes on after `limit_action::pause`.
  void continued() { group_.continue_others(); }

  /// For other threads that want to know; the three below are of the recorder's.
  [[nodiscard]] std::shared_ptr<look_jobs> const& jobs() const noexcept { return jobs_; }
  /// \throws std::runtime_error before any process has begun.
  [[nodiscard]] recorder::heap_rows rows() const { return processes_.rows(); }
  [[nodiscard]] watched_counts counts() const;
  /// A report that nobody writes.
  [[nodiscard]] limit_report state(std::string cause) const;

  /// The limit has sent SIGTERM or SIGABRT.
  [[nodiscard]] bool has_ended_it() const noexcept {
    return acted_.load(std::memory_order_relaxed);
  }
  /// Some process could be recorded.
  [[nodiscard]] bool has_seen_any() const noexcept { return seen_.load(std::memory_order_relaxed); }

 private:
  using clock = std::chrono::steady_clock;

  void look(std::vector<pid_t> const& living);
  void look_at_ended();
  /// How the program ended is known, of the others only whether they began to exit themselves. The
  /// kernel's counts say that it has killed somebody, which may have been somebody else.
  [[nodiscard]] bool may_have_been_killed(recorder::live_blocks const& process) const noexcept {
    if (process.exit_began()) return false;
    return process.process() != program_ || program_was_killed_.load(std::memory_order_relaxed);
  }
  void look_at_unrecorded(std::vector<pid_t> const& living);
  void look_at_mapped(std::vector<pid_t> const& living);
  void look_at_pressure();
  void look_at_amount(std::vector<pid_t> const& living);
  void act();
  void refuse_what_has_no_room(recorder::live_amount const& now);
  void report(recorded_processes::list const& of, std::string cause);
  [[nodiscard]] limit_report report_on(recorded_processes::list const& of, std::string cause,
                                       bool with_stacks) const;
  [[nodiscard]] std::vector<pid_t> with_program(std::vector<pid_t> processes) const;
  [[nodiscard]] recorder::live_amount counted(std::vector<pid_t> const& living) const;

  run_options const& options_;
  kill_cause& cause_;
  report_writer& reports_;
  control_group* control_group_;
  limit_levels levels_;
  process_group group_;
  memory_pressure pressure_;
  recorder::recording* recording_ = nullptr;
  std::shared_ptr<look_jobs> jobs_ = std::make_shared<look_jobs>();
  std::uint64_t refused_ = 0;  ///< requests, as far as reported
  std::uint64_t number_of_reports_ = 0;
  pid_t program_ = 0;
  clock::time_point start_;
  recorded_processes processes_;
  resident_notice notice_;
  unrecorded_memory unrecorded_;
  bool said_no_room_ = false;
  std::optional<double> last_;  ///< what was counted
  clock::time_point last_slow_look_{};
  clock::time_point last_pressure_look_{};
  std::optional<clock::time_point> kill_at_;
  std::atomic<bool> asked_{false};
  std::atomic<bool> acted_{false};
  std::atomic<bool> seen_{false};
  std::atomic<bool> program_was_killed_{true};
};

}  // namespace memprof::tools
