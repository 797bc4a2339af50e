// SPDX-License-Identifier: MIT
/// \file
/// What the processes that are compared do. Each workload is the same in every variant; only what
/// is linked, preloaded and set in the environment differs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace processes {

/// By name: "ns" for an operation on the clock that suits the workload, and what else was seen.
using findings = std::vector<std::pair<std::string, double>>;

/// Nanoseconds: CPU of this thread, CPU of the process, the clock on the wall.
std::int64_t thread_ns() noexcept;
std::int64_t process_ns() noexcept;
std::int64_t wall_ns() noexcept;

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

/// `pairs` times: one of 512 live blocks is freed, and another of 16 to 512 bytes allocated.
void random_pairs(std::int64_t pairs, std::uint64_t seed);

// One thread; "ns" is CPU of the thread for an operation.
findings new_delete(std::int64_t pairs);  ///< 64 bytes
findings malloc_64(std::int64_t pairs);
findings malloc_512(std::int64_t pairs);
findings random_sizes(std::int64_t pairs);
findings strings(std::int64_t rounds);     ///< a vector of 32 strings of 40 characters
findings live_blocks(std::int64_t count);  ///< 64 bytes each: "bytes" the process has in RAM
findings throwing(std::int64_t times);     ///< an exception through 30 frames

// Several threads; "ns" is on the wall, "cpu ns" of the process, for an operation of all threads.
findings two_threads(std::int64_t pairs);
findings four_threads(std::int64_t pairs);
findings producer_consumer(std::int64_t blocks);  ///< one allocates, the other frees
findings ring_of_four(std::int64_t blocks);       ///< each frees what the one before it allocated
findings spawning(std::int64_t threads);          ///< a thread that allocates once, and is joined

}  // namespace processes
