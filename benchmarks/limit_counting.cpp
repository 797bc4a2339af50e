// SPDX-License-Identifier: MIT
//
// What counting for an allocation limit costs: pairs of new and delete of 64 bytes, without a limit
// and in each mode of one. Prints nothing: it is run by callgrind, twice, and the difference of
// the two instruction counts divided by that of the pairs is the cost of a pair:
//
//     for n in 1000000 2000000; do
//       valgrind --tool=callgrind memprof-benchmark-limit_counting sampled $n
//     done
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include "memprof/memprof.hpp"

using namespace memprof::literals;

namespace {

constexpr memprof::bytes never_reached = 100_GiB;

int usage() {
  std::fputs(
      "usage: memprof-benchmark-limit_counting none|sampled|exact|budget-sampled|budget-exact "
      "PAIRS\n",
      stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return usage();
  const std::string_view mode = argv[1];
  const long pairs = std::atol(argv[2]);
  const auto work = [pairs] {
    for (long i = 0; i < pairs; ++i) ::operator delete(::operator new(64));
  };
  const auto count =
      mode.ends_with("exact") ? memprof::counting::exact : memprof::counting::sampled;
  const memprof::limits limits{.allocations = never_reached, .count = count};
  if (mode == "none") {
    work();
  } else if (mode == "sampled" || mode == "exact") {
    return memprof::run_limited(limits, work) ? 0 : 1;
  } else if (mode == "budget-sampled" || mode == "budget-exact") {
    memprof::budget all(limits);
    return all.run(work) ? 0 : 1;
  } else {
    return usage();
  }
}
