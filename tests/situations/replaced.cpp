// SPDX-License-Identifier: MIT
// Programs that put others in their place, by exec in all its forms.
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "situation.hpp"

#define SITUATION(name) MEMPROF_SITUATION_IN("replaced", name)

extern "C" char** environ;

namespace {

using situations::own_path;
using situations::say;
using situations::wait_for;
using situations::work;

[[noreturn]] void become(char const* situation) {
  char* arguments[] = {const_cast<char*>(own_path()), const_cast<char*>(situation), nullptr};
  execv(own_path(), arguments);
  _exit(95);
}

SITUATION(says_hello) {
  say("hello, sum %u", work(9, 300));
  return 0;
}

SITUATION(exec_from_thread) {
  std::thread busy([] {
    for (;;) work(1, 100);
  });
  work(2, 100);
  std::thread([] { become("says_hello"); }).join();
  return 94;
}

SITUATION(exec_chain) {
  char const* const before = std::getenv("SITUATION_DEPTH");
  int const depth = before == nullptr ? 0 : std::atoi(before);
  work(static_cast<std::uint32_t>(depth), 100);
  if (depth == 20) {
    say("%d programs, one process", depth);
    return 0;
  }
  setenv("SITUATION_DEPTH", std::to_string(depth + 1).c_str(), 1);
  become("exec_chain");
}

SITUATION(exec_large_environment) {
  for (int i = 0; i < 50; ++i) {
    setenv(("SITUATION_" + std::to_string(i)).c_str(), std::string(20'000, 'x').c_str(), 1);
  }
  become("says_hello");
}

SITUATION(exec_empty_environment) {
  char* arguments[] = {const_cast<char*>(own_path()), const_cast<char*>("says_hello"), nullptr};
  char* nothing[] = {nullptr};
  work(3, 100);
  execve(own_path(), arguments, nothing);
  return 94;
}

SITUATION(exec_fails) {
  int bad = 0;
  for (int i = 0; i < 20; ++i) {
    char* arguments[] = {const_cast<char*>("x"), nullptr};
    errno = 0;
    execv("/nowhere/at/all", arguments);
    bad += errno == ENOENT;
    work(4, 50);
  }
  say("%d failed, and the program went on", bad);
  return 0;
}

SITUATION(clears_environment) {
  clearenv();
  setenv("A", "1", 1);
  say("sum %u, status %d", work(3, 300), std::system("exit 3") >> 8);
  return 0;
}

SITUATION(shell_and_pipe) {
  std::FILE* const from = popen("echo one; echo two | tr a-z A-Z", "r");
  char line[64];
  while (std::fgets(line, sizeof line, from) != nullptr) say("read %s", line);
  say("status %d", pclose(from));
  return 0;
}

__attribute__((noinline)) pid_t vfork_true() {
  pid_t const child = vfork();
  if (child == 0) {
    execl("/bin/true", "true", static_cast<char*>(nullptr));
    _exit(95);
  }
  return child;
}

SITUATION(vfork_exec) {
  int good = 0;
  for (int i = 0; i < 30; ++i) good += wait_for(vfork_true()) == 0;
  say("%d of 30 executed", good);
  return 0;
}

// What runs on the parent's stack and memory allocates, as shells and Python do.
SITUATION(vfork_allocates) {
  std::uint32_t volatile sum = 0;
  pid_t const child = vfork();
  if (child == 0) {
    sum = work(1, 500);
    _exit(7);
  }
  say("status %d, sum %u, afterwards %u", wait_for(child), sum, work(2, 500));
  return 0;
}

SITUATION(spawn_storm) {
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&good, t] {
      for (int i = 0; i < 12; ++i) {
        pid_t child = 0;
        char* arguments[] = {const_cast<char*>("true"), nullptr};
        work(static_cast<std::uint32_t>(t), 50);
        if (posix_spawn(&child, "/bin/true", nullptr, nullptr, arguments, environ) == 0) {
          good += wait_for(child) == 0;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  say("%d of 48 spawned", good.load());
  return 0;
}

}  // namespace
