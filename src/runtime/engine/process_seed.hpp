// SPDX-License-Identifier: MIT
/// \file
/// The seed of this process, and the streams that its threads and its forked children take from it.
///
///     seed --+-- stream 0, 1, 2, ...   threads, in the order in which they first allocate
///            +-- child 1, 2, ...       seeds of forked children, in the order of the forks
///
/// So the seed of the first process replays all that follow from it, and no two of them share a
/// stream. Nobody else's randomness is needed after a fork, where a sandbox may refuse it.
#pragma once

#include <cstdint>

#include "sampling/sampling.hpp"

namespace memprof::engine {

/// The seed in use.
std::uint64_t process_seed() noexcept;

/// Sets it; the next thread that is seeded takes its first stream.
void configure_seed(std::uint64_t seed) noexcept;

/// Puts `random` at the start of the next stream.
void seed_thread(sampling::random_state& random) noexcept;

/// Handlers of pthread_atfork: `before` in the forking thread, which numbers the child, and then
/// `in_child`, which makes the child's seed the process's.
void number_fork() noexcept;
void take_seed_of_child() noexcept;

}  // namespace memprof::engine
