// SPDX-License-Identifier: MIT
//
// What counting for an allocation limit costs: pairs of new and delete of 64 bytes, without a limit
// and in each mode of one. Prints nothing: it is run by callgrind, twice, and the difference of
// the two instruction counts divided by that of the pairs is the cost of a pair:
//
//     for n in 1000000 2000000; do
//       valgrind --tool=callgrind memprof-benchmark-limit_counting sampled $n
//     done
//
// With THREADS as many threads do the pairs, each all of them, and in the modes of a budget under
// one; then it prints the processor time of a pair, which shows what they wait for each other.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string_view>
#include <thread>
#include <vector>

#include "memprof/memprof.hpp"

using namespace memprof::literals;

namespace {

constexpr memprof::bytes never_reached = 100_GiB;

int usage() {
  std::fputs(
      "usage: memprof-benchmark-limit_counting none|sampled|exact|budget-sampled|budget-exact "
      "PAIRS [THREADS]\n",
      stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return usage();
  const std::string_view mode = argv[1];
  const long pairs = std::atol(argv[2]);
  const long threads = argc == 4 ? std::atol(argv[3]) : 1;
  const auto work = [pairs] {
    for (long i = 0; i < pairs; ++i) ::operator delete(::operator new(64));
  };
  const auto in_threads = [&](auto const& part) {
    if (threads == 1) return part();
    std::timespec before{}, after{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    {
      std::vector<std::jthread> all;
      for (long i = 0; i < threads; ++i) all.emplace_back(part);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    const double spent = static_cast<double>(after.tv_sec - before.tv_sec) * 1e9 +
                         static_cast<double>(after.tv_nsec - before.tv_nsec);
    std::printf("%.2f ns\n", spent / static_cast<double>(pairs * threads));
  };
  const auto count =
      mode.ends_with("exact") ? memprof::counting::exact : memprof::counting::sampled;
  const memprof::limits limits{.allocations = never_reached, .count = count};
  if (mode == "none") {
    in_threads(work);
  } else if (mode == "sampled" || mode == "exact") {
    in_threads([&] {
      if (!memprof::run_limited(limits, work)) std::abort();
    });
  } else if (mode == "budget-sampled" || mode == "budget-exact") {
    memprof::budget all(limits);
    in_threads([&] {
      if (!all.run(work)) std::abort();
    });
  } else {
    return usage();
  }
}
