// SPDX-License-Identifier: MIT
/// \file
/// Why the kernel may have ended a program by a signal.
#pragma once

#include <cstdint>
#include <string>

namespace memprof::tools {

/// Make it before the program starts.
///
/// Of a control group that the program enters later nothing is known; then only the count of the
/// whole machine shows that the kernel killed somebody.
class kill_cause {
 public:
  kill_cause();

  /// ": a system call that a seccomp filter forbids"; empty: nothing is known. SIGKILL is taken for
  /// the kernel's if it has killed a process for lack of memory meanwhile: of our control group for
  /// sure, of the machine perhaps.
  [[nodiscard]] std::string of(int signal) const;

 private:
  std::string group_;  ///< the file with our control group's count
  std::uint64_t in_group_ = 0;
  std::uint64_t in_all_ = 0;
};

}  // namespace memprof::tools
