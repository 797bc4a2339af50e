// SPDX-License-Identifier: MIT
// Programs to which something is done from outside (outside.py).
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>
#include <unistd.h>

#include "situation.hpp"

namespace {

using situations::say;
using situations::work;

// For what is done to it from outside (outside.py): about a second.
MEMPROF_SITUATION_IN("outside", works_for_a_while) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < 40; ++i) {
    sum += work(i, 1500);
    usleep(20'000);
  }
  say("done, sum %u", sum);
  return 0;
}

// Never alone: under a limit of memory that the kernel enforces.
MEMPROF_SITUATION_IN("outside", eats_memory) {
  rlimit const both{rlim_t{2} << 30, rlim_t{2} << 30};
  setrlimit(RLIMIT_AS, &both);
  for (int i = 0; i < 1000; ++i) {
    if (void* const p = std::malloc(1 << 20); p != nullptr) std::memset(p, 1, 1 << 20);
  }
  say("a gigabyte is there");
  return 0;
}

}  // namespace
