// SPDX-License-Identifier: MIT
/// \file
/// What the whole process has one of: configuration, rates, seeds, the sources that feed it.
#pragma once

#include <atomic>
#include <cstdint>

#include "memprof/detail/export.hpp"

#include "sampling/sampling.hpp"

namespace memprof::engine {

/// Moves when any rate changes; threads compare it with their own at each event.
extern std::atomic<std::uint32_t> rate_version;
/// Any rate was changed: all threads look again.
void rates_changed() noexcept;

/// Reads the environment, registers the handlers for fork and thread exit. Once; by whoever comes
/// first; the others wait. Allocates nothing through a countdown: its caller is muted.
void ensure_process_started() noexcept;

/// Seeds the next thread in order.
void seed_thread(sampling::random_state& random) noexcept;

/// Has this thread's nursery emptied when it exits, and what it has for itself given back.
void watch_thread_exit() noexcept;

/// Null, or what is wrong with an environment variable: limits refuse to work then.
char const* configuration_error() noexcept;

/// The rate set for the process (0: off until asked for), and the one that limits count at.
double configured_process_rate() noexcept;
void configure_process_rate(double per_word) noexcept;
/// The rate that limits count at; configuring 0 makes it follow the process again.
double limit_rate() noexcept;
void configure_limit_rate(double per_word) noexcept;
/// Something wants every thread sampled although the process's rate is 0 (a global limit).
void ask_for_samples(bool wanted) noexcept;

void configure_seed(std::uint64_t seed) noexcept;
/// This thread takes the next seed in order, now. (thread_state.cpp)
void restart_random() noexcept;
/// This thread starts the sequence of a seed of its own; those of other threads are unaffected.
void restart_random(std::uint64_t seed) noexcept;

/// Sources: the replacement (registered by its first event, which proves that it is in effect),
/// and the explicit ones.
void register_source() noexcept;
void unregister_source() noexcept;
bool has_source() noexcept;
/// The replacement of operator new is in effect.
MEMPROF_INTERNAL_API void register_replacement() noexcept;
bool replacement_in_effect() noexcept;

/// Called in a forked child after the engine's own repair, in the order of registration; each
/// function once, however often it is registered. Up to 16 of them: false if there is no place
/// left.
bool on_fork_in_child(void (*handler)()) noexcept;
/// The same of threads that exit, muted: what is kept for them is given back.
MEMPROF_INTERNAL_API bool on_thread_exit(void (*handler)()) noexcept;

}  // namespace memprof::engine
