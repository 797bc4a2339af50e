// SPDX-License-Identifier: MIT
#include "recorder/process_facts.hpp"

#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch2.hpp"

using namespace memprof::recorder;

TEST_CASE("what /proc says of this process") {
  const process_facts own = look_at_process(getpid());
  CHECK(own.state == 'R');
  CHECK(own.leader == getpid());
  CHECK(own.inner == getpid());
  CHECK(own.user == geteuid());
  CHECK(own.own_memory);
  CHECK(own.started > 0);
  CHECK(age_of(own) < 3'600'000'000u);
  CHECK(command_line_of(getpid()).find("unit_recorder") != std::string::npos);
  CHECK(look_at_process(1 << 30).state == 0);
}

TEST_CASE("a process that has ended has no memory, and started at its own time") {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t seen{};
  waitid(P_PID, static_cast<id_t>(child), &seen, WEXITED | WNOWAIT);
  const process_facts ended = look_at_process(child);
  CHECK(ended.state == 'Z');
  CHECK_FALSE(ended.own_memory);
  CHECK(ended.started >= look_at_process(getpid()).started);
  waitpid(child, nullptr, 0);
}

TEST_CASE("why a process may not be debugged") {
  process_facts of;
  of.user = geteuid() + 1;
  CHECK(why_no_permission(of).find("it belongs to user " + std::to_string(of.user)) == 0);
  of.user = geteuid();
  CHECK(why_no_permission(of).find("CAP_SYS_PTRACE") != std::string::npos);
}
