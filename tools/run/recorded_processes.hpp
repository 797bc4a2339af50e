// SPDX-License-Identifier: MIT
/// \file
/// What is recorded of the processes under a limit.
#pragma once

#include <cstdint>
#include <memory>
#include <sys/types.h>
#include <vector>

#include "recorder/recorder.hpp"
#include "tools/run/limit_report.hpp"

namespace memprof::tools {

/// \note Threads: the recorder's.
class recorded_processes {
 public:
  using list = std::vector<recorder::live_blocks*>;

  /// \param with_sums of all allocations, too.
  explicit recorded_processes(bool with_sums) : with_sums_(with_sums) {}

  /// A process begins to be recorded. What takes its records outlives this.
  std::unique_ptr<recorder::process_sink> begin(pid_t process, bool visible);
  /// Those that have ended are no longer in `all`. Returns them; next is `forget`.
  list take_ended();
  /// Gives their memory back.
  void forget(list const& ended);

  /// Whose ends were not looked at so far.
  [[nodiscard]] list const& all() const noexcept { return all_; }
  /// Of all allocations, also of processes that have ended; 0 without sums.
  [[nodiscard]] std::uint64_t samples() const;
  /// \throws std::runtime_error before any process has begun.
  [[nodiscard]] recorder::heap_rows rows() const;

 private:
  bool with_sums_;
  list all_;
  std::uint64_t samples_of_ended_ = 0;
};

[[nodiscard]] recorder::live_amount amount_of(recorded_processes::list const& of);

/// A report on these, as far as it is known from them: processes, amounts and stacks.
[[nodiscard]] limit_report report_on_processes(recorded_processes::list const& of,
                                               bool with_stacks);

}  // namespace memprof::tools
