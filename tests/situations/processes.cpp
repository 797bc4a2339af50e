// SPDX-License-Identifier: MIT
// Processes that beget processes.
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "situation.hpp"

#define SITUATION(name) MEMPROF_SITUATION_IN("processes", name)

namespace {

using situations::check;
using situations::say;
using situations::wait_for;
using situations::work;

SITUATION(fork_in_storm) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&stop, t] {
      while (!stop) work(t, 100);
    });
  }
  int good = 0;
  for (std::uint32_t i = 0; i < 30; ++i) {
    pid_t const child = fork();
    if (child == 0) _exit(static_cast<int>(work(i, 50) % 90));
    good += wait_for(child) == static_cast<int>(work(i, 50) % 90);
  }
  stop = true;
  for (auto& thread : threads) thread.join();
  say("%d of 30 children saw what the parent saw", good);
  return 0;
}

SITUATION(fork_from_threads) {
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 6; ++t) {
    threads.emplace_back([&good, t] {
      for (int i = 0; i < 10; ++i) {
        work(t, 40);
        pid_t const child = fork();
        if (child == 0) {
          work(t + 9, 40);
          std::thread([] { work(3, 40); }).join();  // a thread of the child's own
          _exit(static_cast<int>(t));
        }
        good += wait_for(child) == static_cast<int>(t);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  say("%d of 60", good.load());
  return 0;
}

int chain(int depth) {
  work(static_cast<std::uint32_t>(depth), 30);
  if (depth == 40) return 40;
  pid_t const child = fork();
  if (child == 0) _exit(chain(depth + 1));
  int const deepest = wait_for(child);
  work(static_cast<std::uint32_t>(depth), 30);
  return deepest;
}

SITUATION(fork_chain) {
  say("%d deep", chain(0));
  return 0;
}

SITUATION(fork_crowd) {
  std::array<pid_t, 60> children{};
  for (std::size_t i = 0; i < children.size(); ++i) {
    if ((children[i] = fork()) == 0) {
      work(static_cast<std::uint32_t>(i), 100);
      _exit(static_cast<int>(i));
    }
  }
  int good = 0;
  for (std::size_t i = 0; i < children.size(); ++i)
    good += wait_for(children[i]) == static_cast<int>(i);
  say("%d of 60 at once", good);
  return 0;
}

// Behind the C library's back: no handler of pthread_atfork runs, and its idea of the thread's id
// is stale.
SITUATION(clone_without_library) {
  for (int i = 0; i < 10; ++i) {
    long const child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    if (child == 0) {
      work(5, 300);
      _exit(11);
    }
    say("status %d", wait_for(static_cast<int>(child)));
    work(6, 300);
  }
  return 0;
}

SITUATION(clone_on_own_stack) {
  constexpr std::size_t size = 256 * 1024;
  auto* const stack = static_cast<char*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0));
  static std::uint32_t sum = 0;
  auto const run = [](void*) {
    sum = work(7, 400);
    return 12;
  };
  int const child = clone(run, stack + size, CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr);
  say("status %d, sum %u, afterwards %u", wait_for(child), sum, work(8, 400));
  return 0;
}

SITUATION(daemon_of_grandchild) {
  int ends[2];
  check(pipe(ends) == 0, "pipe");
  pid_t const child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    close(ends[0]);
    std::uint32_t const sum = work(12, 400);
    check(write(ends[1], &sum, sizeof sum) == sizeof sum, "write");
    _exit(0);
  }
  close(ends[1]);
  std::uint32_t sum = 0;
  check(read(ends[0], &sum, sizeof sum) == sizeof sum, "the daemon reports");
  say("status %d, the daemon's sum %u", wait_for(child), sum);
  return 0;
}

SITUATION(fork_in_handlers) {
  pthread_atfork([] { work(1, 20); }, [] { work(2, 20); }, [] { work(3, 20); });
  int good = 0;
  for (int i = 0; i < 20; ++i) {
    pid_t const child = fork();
    if (child == 0) _exit(5);
    good += wait_for(child) == 5;
  }
  say("%d of 20", good);
  return 0;
}

SITUATION(stopped_and_continued) {
  pid_t const child = fork();
  if (child == 0) {
    for (int i = 0; i < 5; ++i) {
      work(4, 50);
      raise(SIGSTOP);
    }
    _exit(6);
  }
  int stops = 0;
  int status = 0;
  while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
    ++stops;
    kill(child, SIGCONT);
  }
  say("%d stops, status %d", stops, WEXITSTATUS(status));
  return 0;
}

SITUATION(new_pid_namespace) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
    say("not permitted");
    return 0;
  }
  pid_t const child = fork();
  if (child == 0) {
    std::uint32_t const sum = work(13, 300);
    say("process %d, sum %u", static_cast<int>(getpid()), sum);
    pid_t const grandchild = fork();
    if (grandchild == 0) _exit(static_cast<int>(work(14, 100) % 50));
    _exit(wait_for(grandchild) == static_cast<int>(work(14, 100) % 50) ? 0 : 1);
  }
  say("status %d", wait_for(child));
  return 0;
}

}  // namespace
