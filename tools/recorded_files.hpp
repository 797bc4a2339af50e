// SPDX-License-Identifier: MIT
/// \file
/// The trace files of a recording: under temporary names while processes write them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace memprof::tools {

/// A trace that a process has left: its present name, and the name it is to get.
struct recorded_file {
  std::filesystem::path written;
  std::filesystem::path wanted;
  bool in_use = false;  ///< its process still writes
};

/// Where a recording goes.
///
///     wanted    out.ctf            out.%p.ctf: one for each process
///     written   out.ctf.77.part    out.%p.ctf.77.part          77: this process
///
/// What exists and is no regular file (/dev/null, a pipe) is written as it is.
class recorded_files {
 public:
  /// throws      std::system_error if there can be no such file, std::runtime_error if it exists
  ///             and is not to be overwritten. Before anything is run.
  recorded_files(std::string const& wanted, bool force);

  /// For MEMTRACE.
  [[nodiscard]] std::string const& pattern() const noexcept { return written_; }
  [[nodiscard]] bool direct() const noexcept { return direct_; }

  /// What there is now. The one of `process` first, the others in the order of their names. Without
  /// "%p" in the name there is at most one.
  [[nodiscard]] std::vector<recorded_file> found(pid_t process) const;

 private:
  std::string wanted_;
  std::string written_;
  bool direct_ = false;
};

/// "%p" in `name` as `process`.
[[nodiscard]] std::string with_process(std::string name, pid_t process);

}  // namespace memprof::tools
