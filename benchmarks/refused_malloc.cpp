// SPDX-License-Identifier: MIT
//
// What malloc costs a task with malloc_policy::refuse: pairs of malloc and free of 64 bytes, before
// and after its limit is hit. Prints nothing: it is run by callgrind, twice, and the difference of
// the two instruction counts divided by that of the pairs is the cost of a pair:
//
//     for n in 10000 20000; do
//       valgrind --tool=callgrind memprof-benchmark-refused_malloc refused $n
//     done
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "memprof/memprof.hpp"

using namespace memprof::literals;

// By its name it is one of those that abort when malloc returns null, so it is served.
extern "C" [[gnu::noinline]] void* xmalloc(std::size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) std::abort();
  return block;
}

namespace {

void* volatile block;  // no pair is elided

void pairs_of_malloc(long n) {
  for (long i = 0; i < n; ++i) {
    block = std::malloc(64);
    std::free(block);
  }
}

void pairs_of_xmalloc(long n) {
  for (long i = 0; i < n; ++i) {
    block = xmalloc(64);
    std::free(block);
  }
}

int usage() {
  std::fputs(
      "usage: memprof-benchmark-refused_malloc no-limit|before|served|refused|large|xmalloc PAIRS\n"
      "  no-limit  outside of any limit\n"
      "  before    in a limit that is not hit\n"
      "  served    after the hit, with malloc_policy::serve\n"
      "  refused   after the hit, with malloc_policy::refuse\n"
      "  large     after the hit, with malloc_policy::refuse_large, and room is left\n"
      "  xmalloc   after the hit, with malloc_policy::refuse, by a function that is served\n",
      stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return usage();
  const std::string_view mode = argv[1];
  const long n = std::atol(argv[2]);
  memprof::limits limits{.memory = 1_GiB};
  limits.malloc_after_hit = mode == "served"
                                ? memprof::malloc_policy::serve
                                : (mode == "large" ? memprof::malloc_policy::refuse_large
                                                   : memprof::malloc_policy::refuse);
  const auto hit = [] {
    block = std::malloc(std::size_t{2} << 30);  // more than the limit; nobody touches it
    std::free(block);
  };
  if (mode == "no-limit") {
    pairs_of_malloc(n);
  } else if (mode == "before") {
    return memprof::run_limited(limits, [n] { pairs_of_malloc(n); }) ? 0 : 1;
  } else if (mode == "served" || mode == "refused" || mode == "large") {
    return memprof::run_limited(limits, [&] { hit(), pairs_of_malloc(n); }) ? 1 : 0;
  } else if (mode == "xmalloc") {
    return memprof::run_limited(limits, [&] { hit(), pairs_of_xmalloc(n); }) ? 1 : 0;
  } else {
    return usage();
  }
}
