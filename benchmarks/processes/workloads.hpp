// SPDX-License-Identifier: MIT
/// \file
/// What the processes that are compared do. Each workload is the same in every variant; only what
/// is linked, preloaded and set in the environment differs. They find "ns" for an operation on the
/// clock that suits the workload, and what else was seen.
#pragma once

#include <cstdint>

#include "driving/subject.hpp"

namespace processes {

using namespace driving;

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
