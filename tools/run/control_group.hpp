// SPDX-License-Identifier: MIT
/// \file
/// A control group of its own for the program: the kernel counts, and has the last word.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace memprof::tools {

/// A group below the one that this process is in, of version 1 or 2, whatever there is. At the
/// limit the processes in it are slowed down (memory.high) or wait (version 1), so that there is
/// time for a report; the kernel kills at nine eighths of it.
class control_group {
 public:
  /// \param limit bytes.
  /// \throws std::runtime_error that says why there is none, and what is needed.
  explicit control_group(std::uint64_t limit);
  /// Removes it, unless processes are left in it.
  ~control_group();
  control_group(control_group const&) = delete;
  control_group& operator=(control_group const&) = delete;

  /// In the forked child that is about to become the program. False: it could not.
  [[nodiscard]] bool enter() const noexcept;
  /// Bytes of it that cannot be dropped: without the page cache.
  [[nodiscard]] std::uint64_t used() const;
  /// Whether its processes have come to the limit since the last call. The kernel then kills at
  /// nine eighths.
  [[nodiscard]] bool has_come_to_limit();
  /// The file with its count of kills.
  [[nodiscard]] std::filesystem::path kills() const;

 private:
  bool second_version_;
  std::uint64_t limit_;
  std::filesystem::path folder_;
  int processes_ = -1;  ///< cgroup.procs, open
  std::uint64_t seen_ = 0;
  bool passed_ = false;
};

}  // namespace memprof::tools
