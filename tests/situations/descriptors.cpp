// SPDX-License-Identifier: MIT
// Descriptors that are closed, taken or scarce, and what else a process inherits.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "situation.hpp"

#define SITUATION(name) MEMPROF_SITUATION_IN("descriptors", name)

namespace {

using situations::own_path;
using situations::say;
using situations::wait_for;
using situations::work;

SITUATION(standard_descriptors_closed) {
  for (int mask = 1; mask < 8; ++mask) {
    pid_t const child = fork();
    if (child == 0) {
      for (int i = 0; i < 3; ++i) {
        if ((mask >> i & 1) != 0) close(i);
      }
      execl(own_path(), own_path(), "works_quietly", static_cast<char*>(nullptr));
      _exit(95);
    }
    say("%d: status %d", mask, wait_for(child));
  }
  return 0;
}

SITUATION(all_descriptors_closed) {
  work(27, 200);
  pid_t const child = fork();
  if (child == 0) {
    for (int i = 0; i < 4096; ++i) close(i);
    pid_t const grandchild = fork();
    if (grandchild == 0) _exit(static_cast<int>(work(28, 300) % 50));
    int const first = open("/dev/null", O_RDWR);
    _exit(wait_for(grandchild) + first);
  }
  say("status %d", wait_for(child));
  return 0;
}

SITUATION(close_range_of_all) {
  work(29, 200);
  int const out = dup(STDOUT_FILENO);
  syscall(SYS_close_range, static_cast<unsigned>(out + 1), ~0u, 0);
  std::thread([] { say("sum %u", work(30, 300)); }).join();
  int const next = open("/dev/null", O_RDONLY);
  say("the next descriptor is the next: %d", next == out + 1);
  return 0;
}

// Programs put their own files at fixed numbers.
SITUATION(descriptors_taken) {
  int const from = open("/dev/zero", O_RDONLY);
  for (int i = 3; i < 1024; ++i) {
    if (i != from) dup2(from, i);
  }
  std::uint32_t const sum = work(31, 500);
  int good = 0;
  for (int i = 3; i < 1024; ++i) {
    char c = 1;
    good += read(i, &c, 1) == 1 && c == 0;
  }
  say("sum %u, %d descriptors are what they were", sum, good);
  return 0;
}

SITUATION(inherited) {
  sigset_t set;
  sigprocmask(SIG_BLOCK, nullptr, &set);
  std::string blocked;
  std::string not_default;
  for (int s = 1; s < 65; ++s) {
    struct sigaction action {};
    if (sigismember(&set, s) == 1) blocked += ' ' + std::to_string(s);
    if (sigaction(s, nullptr, &action) == 0 && action.sa_handler != SIG_DFL)
      not_default += ' ' + std::to_string(s);
  }
  say("blocked:%s, not default:%s", blocked.c_str(), not_default.c_str());
  mode_t const mask = umask(0);
  umask(mask);
  std::string open_ones;
  for (int i = 0; i < 256; ++i) {
    if (fcntl(i, F_GETFD) >= 0) open_ones += ' ' + std::to_string(i);
  }
  say("umask %o, open:%s, nice %d, dumpable %d", mask, open_ones.c_str(),
      getpriority(PRIO_PROCESS, 0), prctl(PR_GET_DUMPABLE));
  for (int r = 0; r < RLIM_NLIMITS; ++r) {
    rlimit limit{};
    getrlimit(static_cast<__rlimit_resource>(r), &limit);
    say("limit %d: %lu %lu", r, static_cast<unsigned long>(limit.rlim_cur),
        static_cast<unsigned long>(limit.rlim_max));
  }
  char name[32] = {};
  prctl(PR_GET_NAME, name);
  say("name %s, personality %x", name, static_cast<unsigned>(personality(0xffffffff)));
  return 0;
}

}  // namespace
