// SPDX-License-Identifier: MIT
#include "recorder/program_processes.hpp"

#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch2.hpp"

namespace {

using memprof::recorder::followed_process;
using memprof::recorder::program_processes;

/// A child that waits, with a child that waits, whose id it gives us.
struct family {
  pid_t parent = 0;
  pid_t child = 0;

  family() {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    parent = fork();
    if (parent == 0) {
      pid_t const own = fork();
      if (own != 0 && ::write(ends[1], &own, sizeof own) != sizeof own) _exit(1);
      for (;;) pause();
    }
    REQUIRE(::read(ends[0], &child, sizeof child) == sizeof child);
    close(ends[0]);
    close(ends[1]);
  }
  ~family() {
    kill(child, SIGKILL);
    kill(parent, SIGKILL);
    while (waitpid(-1, nullptr, 0) > 0) {
    }
  }
};

}  // namespace

TEST_CASE("only what descends from the first process is a program's", "[recorder]") {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  family const ours;
  program_processes const program(ours.parent);
  CHECK(program.follow(ours.parent).visible());
  CHECK(program.follow(ours.child).visible());
  for (pid_t const other : {-1, 0, 1, getpid(), getppid()}) {
    CAPTURE(other);
    CHECK_FALSE(program.follow(other).visible());
  }
  auto const others = program.others();
  REQUIRE(others.size() == 1);
  CHECK(others[0].process() == ours.child);

  kill(ours.parent, SIGKILL);
  REQUIRE(waitpid(ours.parent, nullptr, 0) == ours.parent);
  CHECK(program.follow(ours.child).visible());     // now a child of this process
  CHECK(program.follow(ours.parent).has_ended());  // nobody gets its signals
  prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
  CHECK_FALSE(program_processes(getppid()).follow(ours.child).visible());
}

TEST_CASE("signals reach a process, and nobody who has its id later", "[recorder]") {
  pid_t const child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  followed_process followed(child, true);
  followed_process(child, false).signal(SIGKILL);
  CHECK_FALSE(followed.has_ended());
  followed.signal(SIGTERM);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WTERMSIG(status) == SIGTERM);
  CHECK(followed.has_ended());
  for (pid_t const nobody : {-1, 0, 1, getpid(), getppid()}) {
    followed_process(nobody, true).signal(SIGTERM);  // would end this test
  }
}
