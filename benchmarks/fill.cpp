// SPDX-License-Identifier: MIT
// Fills memory with blocks of 64 bytes, then frees them all. fill.py runs it with memprof preloaded
// and without.
//
// usage: memprof-benchmark-fill COUNT
//
// prints a line of JSON: CPU time of a block's allocation and of its free, the resident memory of a
// block while all are there, and what is resident beyond the beginning when all are gone: in bytes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <malloc.h>
#include <unistd.h>

namespace {

struct node {
  node* next;
  char rest[56];
};

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double resident() {
  unsigned long size = 0;
  unsigned long pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%lu %lu", &size, &pages) != 2) std::exit(1);
  std::fclose(file);
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 0;
  if (count <= 0) {
    std::fprintf(stderr, "usage: %s COUNT\n", argv[0]);
    return 2;
  }
  const double before = resident();
  const double begin = cpu_ns();
  node* first = nullptr;
  for (long i = 0; i < count; ++i) {
    auto* const block = static_cast<node*>(std::malloc(sizeof(node)));
    if (block == nullptr) return 1;
    block->next = first;
    first = block;
  }
  const double filled = cpu_ns();
  const double full = resident();
  const double start_of_frees = cpu_ns();
  while (first != nullptr) {
    node* const next = first->next;
    std::free(first);
    first = next;
  }
  const double end = cpu_ns();
  malloc_trim(0);  // what is left is not the allocator's
  const auto each = static_cast<double>(count);
  std::printf(R"({"malloc ns": %.2f, "free ns": %.2f, "bytes": %.2f, "left": %.0f})"
              "\n",
              (filled - begin) / each, (end - start_of_frees) / each, (full - before) / each,
              resident() - before);
}
