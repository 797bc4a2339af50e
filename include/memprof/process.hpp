// SPDX-License-Identifier: MIT
/// \file
/// The process as a whole: sampling rates, live memory, counters.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "memprof/detail/export.hpp"
#include "memprof/estimate.hpp"
#include "memprof/interrupted.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// True if something feeds the sampler, so that limits can fire.
[[nodiscard]] MEMPROF_API bool is_active() noexcept;

/// The rate at which the whole process is sampled: `MEMPROF_RATE`, or the default rate.
[[nodiscard]] MEMPROF_API sampling_rate process_sampling_rate() noexcept;
/// Changes it for all threads, each from its next event on (at most 1 Mw later). Unbiased: each
/// tracked block keeps the rate it was sampled at. 0: off until something asks for samples.
MEMPROF_API void set_process_sampling_rate(sampling_rate rate) noexcept;

/// The rate at which limits count. If never set, or set to 0, it is the process's rate, or the
/// default rate while that is 0. The engine samples at the highest rate in use and thins for the
/// others. Open scopes keep the rate they began with.
[[nodiscard]] MEMPROF_API sampling_rate limit_sampling_rate() noexcept;
MEMPROF_API void set_limit_sampling_rate(sampling_rate rate) noexcept;

/// Restarts this thread's random sequence from `seed`. Threads that begin later and children that
/// are forked later derive theirs from it, in the order in which they first allocate and are
/// forked: a run replays if its threads and children begin in the same order.
///
/// By default the seed is that of `MEMPROF_SEED`, or else random: another one in each process, and
/// in each forked child. `counters().seed`, `interrupted::seed` and the head of a trace report it.
/// (A child that was made without the handlers of pthread_atfork, by clone or _Fork, keeps its
/// parent's sequences.)
MEMPROF_API void set_seed(std::uint64_t seed) noexcept;

/// How many words a thread allocates before a small tracked block of its own counts as major.
[[nodiscard]] MEMPROF_API words nursery() noexcept;
/// \param size at least 1 word, else std::invalid_argument. Default 256 kw.
MEMPROF_API void set_nursery(words size);

/// Estimated live memory of the process: what was allocated while sampling was on, and is not
/// freed. The upper bound allows for blocks unseen at the lowest rate that any thread has had since
/// the process began (rate 0, at which nothing is estimated, left out).
/// \param confidence in (0, 1), else std::invalid_argument.
/// \note Cost: some loads, and a cache line for each thread that sampled at the same time as
///   others.
[[nodiscard]] MEMPROF_API estimate live_memory(double confidence = 0.95);
/// The major part of it: blocks over 256 words, and blocks that outlived a nursery.
/// \note Cost: some loads.
[[nodiscard]] MEMPROF_API estimate live_major_memory(double confidence = 0.95);

/// A number for each limit_kind. There is room for kinds that later versions add.
class limit_kind_counters {
 public:
  [[nodiscard]] constexpr std::uint64_t& operator[](limit_kind kind) noexcept {
    return counts_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] constexpr std::uint64_t operator[](limit_kind kind) const noexcept {
    return counts_[static_cast<std::size_t>(kind)];
  }

  friend constexpr bool operator==(limit_kind_counters const&,
                                   limit_kind_counters const&) = default;

 private:
  std::array<std::uint64_t, 16> counts_{};
};

/// Running totals since the start of the process, and its seed. Each is exact, but they are not
/// read at one instant.
struct process_counters {
  std::uint64_t sampled_blocks = 0;     ///< blocks that got at least one sample
  std::uint64_t samples = 0;            ///< in these blocks
  std::uint64_t promotions = 0;         ///< minor blocks that became major
  std::uint64_t tracked_blocks = 0;     ///< sampled and not freed, now
  std::uint64_t dropped_blocks = 0;     ///< sampled but not tracked: no memory for the record
  std::uint64_t deferrals = 0;          ///< interrupts that were due where they could not be raised
  std::uint64_t callback_failures = 0;  ///< soft-limit callbacks that threw
  std::uint64_t scopes = 0;             ///< limit functions entered; each run of a budget is one
  std::uint64_t tokens = 0;             ///< that exist now; copies of a token are one
  /// Time that was taken to find out whether an interrupt may be raised.
  std::chrono::nanoseconds preflight_time{};
  /// Limits that were hit, by their kind: their interrupts became pending. A task that ended before
  /// its token or deadline was delivered keeps its value, and is counted here all the same.
  limit_kind_counters hits;
  limit_kind_counters interrupts;  ///< raised; a task that swallows has several
  /// Tasks that ended with an error, by its kind: limit functions that returned one. All runs of a
  /// budget are one task.
  limit_kind_counters interrupted_tasks;
  std::uint64_t seed = 0;  ///< in use: with `MEMPROF_SEED` set to it, a run replays
  /// Sampled blocks that began a page of their own, because the addresses in which they would be
  /// packed are taken or do not exist, or because the preload library is there, too, and is to see
  /// them: each takes 4 KiB more, and `free` a test more. Else 0.
  std::uint64_t aligned_blocks = 0;
};
[[nodiscard]] MEMPROF_API process_counters counters() noexcept;

/// A limit that was hit inside `label{"trace_id", ...}`: which request it was.
struct traced_hit {
  limit_kind kind;
  std::chrono::system_clock::time_point when;
  std::string trace_id;
};

/// The last such hit of each kind, kinds without one left out. `/metrics` of memprof::serve has
/// them as exemplars of `memprof_limit_hits_total`. Of two hits of one kind at the same moment, on
/// different threads, either may be the last.
///
/// \throws std::bad_alloc without memory.
/// \note Threads: any; waits for none. A kind whose hit is being noted just now is left out.
[[nodiscard]] MEMPROF_API std::vector<traced_hit> traced_hits();

}  // namespace memprof::inline v0
