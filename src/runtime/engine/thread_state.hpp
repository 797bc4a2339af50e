// SPDX-License-Identifier: MIT
/// \file
/// The state of a thread's sampling, with the countdown that the fast paths touch.
///
/// Positions are words counted by this thread since it began: an allocation of w words covers the
/// words (before, before + w]. The countdown says how many words may still be counted before
/// anything has to be done; the fast path of an allocation is
///
///     countdown -= block_words(size);  if (countdown < 0) slow path
///
///     position        position + (armed - countdown)                 next event
///     |---------------|-----------------------------------------------|
///     last arming     now                                             armed words on
///
/// All of it is plain thread-local data; the countdown begins as 0, so a new thread's first
/// allocation finds a countdown of 0 and takes the slow path, which draws before it counts.
#pragma once

#include <array>
#include <cstdint>

#include "memprof/detail/export.hpp"

#include "engine/gap_audit.hpp"
#include "engine/nursery.hpp"
#include "engine/observer_slot.hpp"
#include "sampling/sampling.hpp"

namespace memprof::engine {

struct account;

/// The countdown of a muted thread: once per this many words its allocations check whether what
/// muted it is still there (left_by_jump.hpp).
inline constexpr std::int64_t muted_countdown = std::int64_t{1} << 16;
/// Stands for the place of what mutes a thread that was on another stack since: it counts as there.
inline void const* const unknown_place = reinterpret_cast<void const*>(~std::uintptr_t{0});

// Events are at most `hand_over_interval` apart (gap_audit.hpp), so a thread learns of changed
// rates.

struct thread_state {
  std::int64_t countdown = 0;    ///< first: the fast paths address it
  std::int64_t armed = 0;        ///< value of the countdown when it was last set
  std::int64_t position = 0;     ///< words counted up to then
  std::int64_t next_sample = 0;  ///< position of the next sample
  /// Position beyond which the limits need an event.
  std::int64_t wakeup = std::int64_t{1} << 62;
  sampling::geometric_distribution law;  ///< at this thread's rate
  sampling::random_state random{};
  double demand = 0.0;  ///< rate that this thread's limits need
  /// The observers' rates, as this thread adopted them together with `rate_version`.
  std::array<adopted_rate, observer_slots> observed{};
  bool observed_any = false;
  bool notifying = false;  ///< a function of an observer runs: inside it only frees are notified
  bool started = false;
  bool exited = false;  ///< its exit has begun: nothing is minor any longer
  bool keeps = false;   ///< its exit will be noticed, so resources may be kept for it
  std::uint32_t rate_version = 0;
  std::uint32_t muted = 0;         ///< depth; while > 0 the countdown begins as `muted_countdown`
  void const* muted_by = nullptr;  ///< where the outermost event or muted section lies
  std::int64_t held_countdown = 0;
  nursery_queue nursery;
  std::int64_t granted = 0;  ///< bytes, noted by `grant` for the event that is open
  account* owner = nullptr;  ///< charged for the blocks this thread gets
  /// If the samples of the open event's block were drawn before a pause: their law, which may not
  /// be this thread's, and the observers whose rate was another one then.
  struct {
    bool before_pause = false;
    std::array<bool, observer_slots> not_for{};
    double drawn_at = 0.0;  ///< per word
    // Of one that is to be tracked, else 0: estimate_audit.hpp.
    std::int64_t n_samples = 0;
    std::int64_t words = 0;
  } block;
  gap_audit audit;
};

// Initial-exec, constinit and trivially destructible: reading it is one instruction, and valid
// from the first instruction of a thread to its last.
MEMPROF_INTERNAL_API extern constinit thread_local thread_state current;

/// The law by which the samples of the open event's block were drawn.
inline sampling::geometric_distribution law_of_block() noexcept {
  if (current.block.before_pause) [[unlikely]]
    return sampling::geometric_distribution(current.block.drawn_at);
  return current.law;
}
/// Their rate, per word.
inline double rate_of_block() noexcept {
  return current.block.before_pause ? current.block.drawn_at : current.law.per_word();
}

/// The words counted so far, also between events. Cost: loads.
inline std::int64_t position_now() noexcept {
  const std::int64_t countdown = current.muted > 0 ? current.held_countdown : current.countdown;
  return current.position + (current.armed - countdown);
}

/// The mean interval of this thread's samples in bytes; 0 if it does not sample.
inline double interval_of_thread() noexcept {
  const double per_word = current.law.per_word();
  return per_word > 0.0 ? 8.0 / per_word : 0.0;
}

/// Prepares process and thread if that was not done yet; an event does it by itself.
void ensure_started() noexcept;

/// Makes position and countdown agree with `wakeup`, the sample to come and the rates in force;
/// no words are counted. For changes made outside an event.
void rearm() noexcept;

/// Sets the rate that this thread's limits need; 0 when the last of them ended. In force at once.
void set_demand(double per_word) noexcept;
/// The same during an event: in force when the event ends, because its block is recorded at the
/// rate at which its samples were drawn.
void set_demand_after_event(double per_word) noexcept;

/// While it lives, this thread neither counts nor samples: callbacks, memprof's own work. Nests.
class muted_section {
 public:
  muted_section() noexcept {
    if (current.muted++ == 0) {
      current.muted_by = this;
      current.held_countdown = current.countdown;
      current.countdown = muted_countdown;
    }
  }
  ~muted_section() {
    if (--current.muted == 0) current.countdown = current.held_countdown;
  }
  muted_section(muted_section const&) = delete;
  muted_section& operator=(muted_section const&) = delete;
};

/// The process-wide rate in force: the configured rate, or the default while that is 0 and
/// something needs samples of every thread.
double process_rate() noexcept;

}  // namespace memprof::engine
