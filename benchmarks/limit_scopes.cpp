// SPDX-License-Identifier: MIT
//
// What entering and leaving a limit costs, around a task that allocates nothing: with a deadline,
// which makes the task one that overdue_tasks() may have to list, and without. Prints the time for
// each scope, by the best of five rounds. Run by callgrind, twice, the difference of the
// instruction counts divided by that of the scopes (five rounds each) is the cost of one:
//
//     for n in 1000 2000; do
//       valgrind --tool=callgrind memprof-benchmark-limit_scopes deadline $n
//     done
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "memprof/memprof.hpp"

using namespace memprof::literals;
using namespace std::chrono_literals;

namespace {

int usage() {
  std::fputs(
      "usage: memprof-benchmark-limit_scopes MODE SCOPES [THREADS]\n"
      "  allocations  a limit on allocations\n"
      "  token        and a token: it is polled, as a deadline is\n"
      "  deadline     and a deadline\n",
      stderr);
  return 2;
}

double nanoseconds_per_scope(memprof::limits const& limits, long scopes, int threads) {
  const auto begin = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> team;
    const auto work = [&limits, scopes] {
      for (long i = 0; i < scopes; ++i) {
        if (!memprof::run_limited(limits, [] {})) std::abort();
      }
    };
    for (int i = 1; i < threads; ++i) team.emplace_back(work);
    work();
  }
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  return time.count() / static_cast<double>(scopes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) return usage();
  const std::string_view mode = argv[1];
  const long scopes = std::atol(argv[2]);
  const int threads = argc == 4 ? std::atoi(argv[3]) : 1;
  memprof::limits limits{.allocations = 1_GiB};
  if (mode == "token") limits.token = memprof::token();
  if (mode == "deadline") limits.deadline = std::chrono::steady_clock::now() + 1h;
  if ((mode != "allocations" && mode != "token" && mode != "deadline") || scopes < 1 ||
      threads < 1) {
    return usage();
  }
  double best = nanoseconds_per_scope(limits, scopes, threads);
  for (int round = 1; round < 5; ++round) {
    best = std::min(best, nanoseconds_per_scope(limits, scopes, threads));
  }
  std::printf("%.1f ns for each scope, %d thread%s\n", best, threads, threads == 1 ? "" : "s");
  return 0;
}
