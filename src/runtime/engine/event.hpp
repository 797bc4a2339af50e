// SPDX-License-Identifier: MIT
/// \file
/// An event: one pass through the slow path, taken when a thread's countdown runs out.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"

#include "engine/thread_state.hpp"

namespace memprof::engine {

/// From construction to destruction the thread is muted, so whatever allocates in between (an
/// exception, the real allocator's own blocks) is neither counted nor sampled.
///
///     event e(words);            // the fast path has subtracted them
///     ... e.n_samples() ...      // decide, get the block, track it
///                                // ~event: age the nursery, arm the countdown again
class event {
 public:
  /// \param words what the fast path has just subtracted.
  MEMPROF_INTERNAL_API explicit event(std::int64_t words) noexcept;
  /// Without an allocation: while it lives, positions are exact and what is set holds from its end.
  event() noexcept : event(0) {}
  MEMPROF_INTERNAL_API ~event();
  event(event const&) = delete;
  event& operator=(event const&) = delete;

  /// Position of this thread before and after the allocation.
  [[nodiscard]] std::int64_t before() const noexcept { return current.position - words_; }
  [[nodiscard]] std::int64_t after() const noexcept { return current.position; }
  [[nodiscard]] std::int64_t words() const noexcept { return words_; }
  /// Words of a request that no allocator can serve (2^44 words or more, the whole address space);
  /// 0 for any other. Limits compare such a request, but it is counted nowhere: words() is 0. A
  /// program may repeat it any number of times, and positions would overflow.
  [[nodiscard]] std::int64_t impossible_words() const noexcept { return impossible_words_; }
  /// The request comes to nothing: its words and samples are not counted, and positions are as if
  /// it had not been. words() and n_samples() still say what was asked for. Once at most.
  void withdraw() const noexcept;
  /// Samples in the block: Binomial(words, p).
  [[nodiscard]] std::uint64_t n_samples() const noexcept { return n_samples_; }

 private:
  std::int64_t words_;
  std::int64_t impossible_words_ = 0;
  std::uint64_t n_samples_ = 0;
};

/// How the samples of the block of this thread's open event were drawn; it will be tracked in
/// another event, if at all.
struct block_draw {
  double per_word;
  std::array<adopted_rate, observer_slots> observed;
  std::int64_t n_samples;
  std::int64_t words;
};
block_draw take_block() noexcept;
/// For a task that was paused in the middle of an event, and goes on, perhaps on another thread and
/// under other rates: until the event ends, its block counts as drawn like that. (It must not be
/// drawn again: its samples may be why the task paused.)
void continue_block(block_draw const& draw) noexcept;

/// The same for words that the fast path has counted, without an event: no sample was among them.
MEMPROF_INTERNAL_API void withdraw_unsampled(std::int64_t words) noexcept;

/// Ends the event that is open on this thread: what ~event does, for an event whose object is on
/// another stack (stack_switch.hpp).
MEMPROF_INTERNAL_API void close_event() noexcept;

}  // namespace memprof::engine
