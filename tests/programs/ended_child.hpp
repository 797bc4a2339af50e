// SPDX-License-Identifier: MIT
/// \file
/// A child that does something, how it ended, and what it wrote to standard error.
#pragma once

#include <array>
#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "check.hpp"

struct ended_child {
  int status = -1;  ///< as waitpid has it
  std::string said;

  [[nodiscard]] bool ended_by(int signal) const {
    return WIFSIGNALED(status) && WTERMSIG(status) == signal;
  }
};

/// Forks a child that calls `what` and then ends with status 0.
template <class What>
ended_child child_doing(What&& what) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    what();
    _exit(0);
  }
  close(ends[1]);
  ended_child result;
  std::array<char, 4096> part;
  for (ssize_t n = 0; (n = read(ends[0], part.data(), part.size())) > 0;) {
    result.said.append(part.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  CHECK(waitpid(child, &result.status, 0) == child);
  return result;
}
