// SPDX-License-Identifier: MIT
/// \file
/// What programs share that a driver (benchmarks/*/run.py) runs many times: clocks, memory,
/// numbers, and the line of JSON that they print.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace driving {

/// What one run found, by name: "ns", "bytes per block".
using findings = std::vector<std::pair<std::string, double>>;

/// One line of JSON. Names are ours, and need no escapes.
inline void print(findings const& found) {
  char const* separator = "{";
  for (auto const& [name, value] : found) {
    std::printf("%s\"%s\": %.6g", separator, name.c_str(), value);
    separator = ", ";
  }
  std::puts("}");
}

inline std::int64_t read_clock(clockid_t clock) noexcept {
  timespec t{};
  clock_gettime(clock, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// Nanoseconds: CPU of this thread, CPU of the process, the clock on the wall.
inline std::int64_t thread_ns() noexcept { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
inline std::int64_t process_ns() noexcept { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }
inline std::int64_t wall_ns() noexcept { return read_clock(CLOCK_MONOTONIC); }

/// Memory of the process that is in RAM, in bytes.
inline std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  if (!(statm >> all >> resident)) std::abort();
  return resident * sysconf(_SC_PAGESIZE);
}

/// So that no compiler removes the block.
inline void* keep(void* block) noexcept {
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}

/// xorshift: fast enough not to be what is measured.
struct random_numbers {
  std::uint64_t state = 88172645463325252ULL;
  std::uint64_t operator()() noexcept {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  }
};

}  // namespace driving
