// SPDX-License-Identifier: MIT
/// \file
/// Which processes are a program's: by what the kernel says, whatever ids the program gives us.
#pragma once

#include <cstdint>
#include <sys/types.h>
#include <vector>

#include "recorder/followed_process.hpp"

namespace memprof::recorder {

/// A program's first process and all that descend from it. Those whose parents have ended are our
/// children if this process takes in orphans (PR_SET_CHILD_SUBREAPER); it has no others then.
/// Without that they are known no longer.
///
/// \note Threads: any.
class program_processes {
 public:
  /// \param first a process that runs: our child, or one that is attached to.
  explicit program_processes(pid_t first);

  [[nodiscard]] pid_t first() const noexcept { return first_; }

  /// The process `claimed`, visible only if it is one of them now, or has ended. An id that a
  /// program has written may be anybody's. Three files of /proc for each generation.
  [[nodiscard]] followed_process follow(pid_t claimed) const;

  /// All that run now but the first, recorded or not. A few files of /proc for each of them.
  [[nodiscard]] std::vector<followed_process> others() const;

 private:
  [[nodiscard]] bool has(pid_t process) const;

  pid_t first_;
  std::uint64_t started_;  ///< when the first one did; 0: not known
  bool orphans_are_ours_;
};

}  // namespace memprof::recorder
