// SPDX-License-Identifier: MIT
/// \file
/// Signals to all processes under a limit.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace memprof::tools {

/// The program and the processes that it has started, as far as they are recorded. A process whose
/// id was read a moment ago is taken for the same one.
///
/// threads     `set` and what sends signals: the recorder's. `continue_others`: any.
class process_group {
 public:
  /// first       the program, which was started here.
  /// others      may contain it.
  void set(pid_t first, std::vector<pid_t> const& others);

  void signal(int number) const noexcept;
  /// SIGSTOP, the program last: who waits for it then finds all stopped.
  void stop() noexcept;
  /// SIGCONT to those that `stop` has stopped, but for the program.
  void continue_others() noexcept;

 private:
  pid_t first_ = 0;
  std::vector<pid_t> others_;
  std::mutex mutex_;  ///< guards `stopped_`
  std::vector<pid_t> stopped_;
};

}  // namespace memprof::tools
