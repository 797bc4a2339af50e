// SPDX-License-Identifier: MIT
/// \file
/// The faults that CMakeLists.txt beside this plants into copies of the sampler's sources.
#pragma once

#include <atomic>

namespace memprof::test {

enum class fault : int {
  none,
  rate,             ///< samples come 3 % too often
  gap_too_long,     ///< each gap is a word longer than drawn
  uniform_gaps,     ///< gaps have the right mean, and the wrong law: uniform up to twice that
  rest_not_drawn,   ///< a block never gets more than one sample
  late_arming,      ///< the countdown runs out a word after the sample
  old_gap_kept,     ///< a new rate begins with the gap that was drawn at the old one
  shared_stream,    ///< all threads draw the same random numbers
  first_gap,        ///< a thread's first gap is a word longer than drawn
  thinning,         ///< consumers at lower rates get 10 % fewer samples
  fork_replays,     ///< forked children go on with their parent's random numbers
  rate_forgotten,   ///< upper bounds allow for the present rate only
  whole_bytes,      ///< weights are rounded to bytes at every rate
  one_sided,        ///< an interval's misses are all on one side
  lost_in_realloc,  ///< a block that realloc makes sampled is not tracked
};

/// The one in effect. `none` unless a test sets it, or MEMPROF_TEST_FAULT names one at the start.
extern std::atomic<fault> planted;

inline bool is_planted(fault f) noexcept { return planted.load(std::memory_order_relaxed) == f; }

}  // namespace memprof::test
