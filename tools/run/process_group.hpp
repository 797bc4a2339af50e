// SPDX-License-Identifier: MIT
/// \file
/// Signals to all processes under a limit.
#pragma once

#include <mutex>
#include <optional>
#include <sys/types.h>
#include <vector>

#include "recorder/recorder.hpp"

namespace memprof::tools {

/// The program and the processes that it has started, recorded or not, as the kernel knows them:
/// no id that the program gave us is used.
///
/// \note Threads: `continue_others`: any. The others: the recorder's.
class process_group {
 public:
  /// The program, our child, which has just been started.
  void begin(pid_t program);

  /// All but the program.
  [[nodiscard]] std::vector<recorder::followed_process> others() const { return all_->others(); }

  void signal(int number);
  /// SIGSTOP, the program last: who waits for it then finds all stopped.
  void stop();
  /// SIGCONT to those that `stop` has stopped, but for the program.
  void continue_others();

 private:
  std::optional<recorder::program_processes> all_;
  std::optional<recorder::followed_process> first_;
  std::mutex mutex_;  ///< guards `stopped_`
  std::vector<recorder::followed_process> stopped_;
};

}  // namespace memprof::tools
