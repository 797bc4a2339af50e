// SPDX-License-Identifier: MIT
/// \file
/// The trace files of a recording: under temporary names while processes write them.
#pragma once

#include <filesystem>
#include <string>

namespace memprof::tools {

/// The trace of a process: the name it is written under, and the one it is to get.
struct recorded_file {
  std::filesystem::path written;
  std::filesystem::path wanted;
};

/// Where a recording goes.
///
///     wanted    out.ctf            out.%p.ctf: one for each process
///     written   out.ctf.77.part    out.%p.ctf.77.part          77: this process
///
/// What exists and is no regular file (/dev/null, a pipe) is written as it is.
class recorded_files {
 public:
  /// \throws std::system_error if there can be no such file.
  /// \throws std::runtime_error if it exists and is not to be overwritten. Before anything is run.
  recorded_files(std::string const& wanted, bool force);

  [[nodiscard]] bool direct() const noexcept { return direct_; }

  /// For the process of this id. If the name has no "%p", the same for all.
  [[nodiscard]] recorded_file of(std::string const& process) const;

 private:
  std::string wanted_;
  std::string written_;
  bool direct_ = false;
};

}  // namespace memprof::tools
