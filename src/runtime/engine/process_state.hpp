// SPDX-License-Identifier: MIT
/// \file
/// State of the whole process: configuration, rates, the sources that feed the sampler.
#pragma once

#include <atomic>
#include <cstdint>

#include "memprof/detail/export.hpp"

#include "base/base.hpp"

namespace memprof::engine {

/// Changes with any rate; threads compare it with their own at each event.
extern std::atomic<std::uint32_t> rate_version;
/// After a change of any rate: makes all threads adopt it.
void rates_changed() noexcept;

/// What the environment says of the whole process; what it does not say, or wrongly, is as usual.
struct environment_settings {
  double rate;
  std::uint64_t seed;  ///< a random one, if none is set
  std::uint64_t nursery_words;
  bool guard;
};
/// \param error gets what is wrong with the first malformed variable, those of callstacks included.
environment_settings read_environment(base::setting_error& error) noexcept;

/// Reads the environment, registers the handlers for fork and thread exit. The first caller does
/// it, once; others wait. Allocates nothing through a countdown: its caller is muted.
void ensure_process_started() noexcept;

/// When this thread exits, empties its nursery and returns its own resources.
void watch_thread_exit() noexcept;

/// Null, or what is wrong with an environment variable: then limits refuse to work.
char const* configuration_error() noexcept;

/// MEMPROF_GUARD=1: sampled blocks lie between guard pages (override/guarded_blocks.hpp). Set when
/// the process is started, before the first sample, and constant from then on.
MEMPROF_INTERNAL_API extern constinit std::atomic<bool> guard_wanted;

/// The rate set for the process (0: off until needed), and the rate at which limits count.
double configured_process_rate() noexcept;
void configure_process_rate(double per_word) noexcept;
/// The rate at which limits count; configuring 0 makes it follow the process again.
double limit_rate() noexcept;
void configure_limit_rate(double per_word) noexcept;
/// Requests samples of every thread although the process's rate is 0 (a global limit).
void request_samples(bool wanted) noexcept;

/// This thread takes the next stream of the process's seed, now. (thread_state.cpp)
void restart_random() noexcept;
/// This thread starts the sequence of a seed of its own; those of other threads are unaffected.
void restart_random(std::uint64_t seed) noexcept;
/// In a forked child, whatever the thread was doing: the same as the first, for its only thread.
void restart_random_after_fork() noexcept;

/// Sources: the replacement (registered by its first event, which proves that it is in effect)
/// and the explicit ones.
void register_source() noexcept;
void unregister_source() noexcept;
bool has_source() noexcept;
/// Whether the replacement of operator new is in effect.
MEMPROF_INTERNAL_API void register_replacement() noexcept;
bool replacement_in_effect() noexcept;

/// Called in a forked child after the engine's own repair, in the order of registration; each
/// function once, however often it is registered. Up to 16 of them; false if there is no slot
/// left. Lock-free, unlike pthread_atfork: also inside malloc.
bool on_fork_in_child(void (*handler)()) noexcept;
/// The same before each fork, on the thread that forks.
bool before_fork(void (*handler)()) noexcept;
/// The same for threads that exit, muted: to return what is kept for them.
MEMPROF_INTERNAL_API bool on_thread_exit(void (*handler)()) noexcept;

}  // namespace memprof::engine
