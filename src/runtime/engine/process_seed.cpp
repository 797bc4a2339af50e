// SPDX-License-Identifier: MIT
#include "engine/process_seed.hpp"

#include <atomic>

namespace memprof::engine {
namespace {

constinit std::atomic<std::uint64_t> seed{0};
constinit std::atomic<std::uint64_t> next_stream{0};
constinit std::atomic<std::uint64_t> forks{0};
/// The number of the fork that this thread is in the middle of: threads may fork at the same time.
constinit thread_local std::uint64_t fork_number = 0;

/// Threads have the streams below.
constexpr std::uint64_t first_child_stream = std::uint64_t{1} << 63;

}  // namespace

std::uint64_t process_seed() noexcept { return seed.load(std::memory_order_relaxed); }

void configure_seed(std::uint64_t new_seed) noexcept {
  seed.store(new_seed, std::memory_order_relaxed);
  next_stream.store(0, std::memory_order_relaxed);
  forks.store(0, std::memory_order_relaxed);
}

void seed_thread(sampling::random_state& random) noexcept {
  sampling::seed(random, process_seed(), next_stream.fetch_add(1, std::memory_order_relaxed));
}

void number_fork() noexcept { fork_number = forks.fetch_add(1, std::memory_order_relaxed); }

void take_seed_of_child() noexcept {
  sampling::random_state of_child;
  sampling::seed(of_child, process_seed(), first_child_stream + fork_number);
  configure_seed(sampling::next(of_child));
}

}  // namespace memprof::engine
