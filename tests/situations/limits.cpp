// SPDX-License-Identifier: MIT
// Limits of resources (setrlimit), in a program that begins under them.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "situation.hpp"

#define SITUATION(name) MEMPROF_SITUATION_IN("limits", name)

namespace {

using situations::own_path;
using situations::say;
using situations::wait_for;
using situations::work;

/// Runs a situation in another process, begun anew under the limit, and reports how it ended.
void run_under(int resource, rlim_t limit, char const* situation) {
  pid_t const child = fork();
  if (child == 0) {
    rlimit const both{limit, limit};
    if (setrlimit(static_cast<__rlimit_resource>(resource), &both) != 0) _exit(93);
    execl(own_path(), own_path(), situation, static_cast<char*>(nullptr));
    _exit(95);
  }
  say("status %d", wait_for(child));
}

SITUATION(works_a_little) {
  say("sum %u", work(20, 400));
  return 0;
}

SITUATION(works_with_thread) {
  std::thread([] { say("sum %u", work(21, 400)); }).join();
  return 0;
}

SITUATION(address_space) {
  for (rlim_t const mebibytes : {30, 40, 50, 64, 100, 200, 500}) {
    say("%d MiB", static_cast<int>(mebibytes));
    run_under(RLIMIT_AS, mebibytes << 20, "works_a_little");
  }
  return 0;
}

SITUATION(address_space_of_threads) {
  for (rlim_t const mebibytes : {150, 300})
    run_under(RLIMIT_AS, mebibytes << 20, "works_with_thread");
  return 0;
}

SITUATION(fills_address_space) {
  rlimit const both{rlim_t{128} << 20, rlim_t{128} << 20};
  setrlimit(RLIMIT_AS, &both);
  std::vector<void*> blocks;
  blocks.reserve(100'000);
  void* p = nullptr;
  while (blocks.size() < 90'000 && (p = std::malloc(3000)) != nullptr) blocks.push_back(p);
  say("a lot: %d, errno %d", blocks.size() > 10'000, errno);
  for (void* const block : blocks) std::free(block);
  say("sum %u", work(22, 300));
  return 0;
}

SITUATION(data_limit) {
  run_under(RLIMIT_DATA, rlim_t{24} << 20, "works_a_little");
  return 0;
}

SITUATION(small_stack) {
  run_under(RLIMIT_STACK, rlim_t{160} << 10, "works_a_little");
  run_under(RLIMIT_STACK, RLIM_INFINITY, "works_with_thread");
  return 0;
}

SITUATION(three_descriptors) {
  run_under(RLIMIT_NOFILE, 4, "works_with_thread");  // the loader needs one
  rlimit const both{3, 3};
  setrlimit(RLIMIT_NOFILE, &both);
  std::thread([] { say("sum %u", work(23, 300)); }).join();
  say("open: %d", open("/dev/null", O_RDONLY));
  return 0;
}

SITUATION(no_files_written) {
  signal(SIGXFSZ, SIG_IGN);
  run_under(RLIMIT_FSIZE, 0, "works_quietly");
  return 0;
}

SITUATION(works_quietly) { return static_cast<int>(work(24, 400) % 90); }

SITUATION(no_more_processes) {
  rlimit const both{1, 1};
  setrlimit(RLIMIT_NPROC, &both);
  if (setgroups(0, nullptr) != 0 || setuid(65534) != 0) say("not root");
  pid_t const child = fork();
  if (child == 0) _exit(0);
  say("no child: %d, sum %u", child < 0, work(25, 300));
  return 0;
}

SITUATION(locked_memory) {
  rlimit const all{RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_MEMLOCK, &all);
  bool const locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
  std::thread([] { work(26, 200); }).join();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  say("locked %d, sum %u, under 200 MB: %d", locked, work(26, 300), usage.ru_maxrss < 200'000);
  return 0;
}

SITUATION(without_random_addresses) {
  pid_t const child = fork();
  if (child == 0) {
    personality(ADDR_NO_RANDOMIZE);
    execl(own_path(), own_path(), "works_with_thread", static_cast<char*>(nullptr));
    _exit(95);
  }
  say("status %d", wait_for(child));
  return 0;
}

}  // namespace
