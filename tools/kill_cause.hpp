// SPDX-License-Identifier: MIT
/// \file
/// Why the kernel may have ended a program by a signal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tools/child_process.hpp"

namespace memprof::tools {

/// The kernel's count, in a file, of the processes that it killed for lack of memory.
class kill_count {
 public:
  explicit kill_count(std::filesystem::path file);

  /// Since the beginning. False, too, where the file cannot be read now or could not be then.
  [[nodiscard]] bool has_grown() const;
  /// Since the last call.
  [[nodiscard]] bool has_grown_again();

 private:
  [[nodiscard]] std::optional<std::uint64_t> read() const;

  std::filesystem::path file_;
  std::optional<std::uint64_t> first_;
  std::optional<std::uint64_t> seen_;
};

/// Make it before the program starts.
///
/// Of a control group that the program enters later nothing is known; then only the count of the
/// whole machine shows that the kernel killed somebody.
class kill_cause {
 public:
  /// \param group the file with the count of the control group that the program will be in; empty:
  ///   that of this process.
  explicit kill_cause(std::filesystem::path const& group = {});

  /// ": a system call that a seccomp filter forbids"; empty: nothing is known. SIGKILL is taken for
  /// the kernel's if it has killed a process for lack of memory meanwhile: of our control group for
  /// sure, of the machine perhaps.
  [[nodiscard]] std::string of(int signal) const;
  /// The same text if the kernel has killed a process for lack of memory since the last call.
  [[nodiscard]] std::string new_kill();

 private:
  kill_count group_;
  kill_count all_;
};

/// "exit 3", "signal 9 (Killed): by the kernel, for lack of memory in its control group"
[[nodiscard]] std::string ended_text(child_end const& end, kill_cause const& cause);

}  // namespace memprof::tools
