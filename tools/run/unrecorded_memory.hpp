// SPDX-License-Identifier: MIT
/// \file
/// The memory of processes under a limit for which the recorder had no room.
#pragma once

#include <chrono>
#include <cstddef>
#include <sys/types.h>
#include <vector>

#include "tools/run/process_group.hpp"

namespace memprof::tools {

/// What the kernel says of them: pages of their own that are no file's. What a child shares with
/// its parent since a fork counts for the parent.
///
/// \note Threads: the recorder's.
class unrecorded_memory {
 public:
  using clock = std::chrono::steady_clock;

  /// Looks at most every 100 ms, and for a twentieth of the time.
  ///
  /// \param recorded those that are not meant.
  void look(clock::time_point now, process_group const& all, std::vector<pid_t> const& recorded);

  [[nodiscard]] double bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t processes() const noexcept { return processes_; }

 private:
  clock::time_point next_{};
  double bytes_ = 0;
  std::size_t processes_ = 0;
};

}  // namespace memprof::tools
