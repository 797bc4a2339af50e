// SPDX-License-Identifier: MIT
/// \file
/// The steps of a thread's last walk, so that the next walk need not compute them again.
///
/// Two samples of a thread have most of their outer frames in common. The result of a rule depends
/// only on the frame and on the words of the stack that it reads, two at most. So where a walk
/// reaches a frame of the last walk (same pc, stack pointer and frame pointer) and these words have
/// not changed, the caller is the same, too. Comparing them takes a third of the instructions of
/// finding the rule, and no load has to wait for the one before.
///
/// A kept step is never wrong, however old: it records a rule of code that is never unloaded, and
/// reads what that rule would read. Other steps (rare rules, modules that may be unloaded, signal
/// frames, guesses) are kept as steps that never hold.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "callstack/capture.hpp"
#include "callstack/processor.hpp"
#include "callstack/step_rule.hpp"

namespace memprof::callstack {

namespace detail {
inline constexpr std::uintptr_t never_one = 0;
}

/// The step out of `from`, to the `from` of the next step.
struct walk_step {
  frame from;
  std::uintptr_t fp_at;    ///< where the caller's frame pointer was read; if nowhere, another word
  std::uintptr_t fp_word;  ///< that was read there
  std::uintptr_t by_fp;    ///< 1: by the frame pointer

  void never_holds() noexcept {
    fp_at = reinterpret_cast<std::uintptr_t>(&detail::never_one);
    fp_word = 1;
    by_fp = 0;
  }
};

/// Behind the last one, and of no walk: no frame has its stack pointer.
inline constexpr walk_step no_step{
    .from = {.sp = ~std::uintptr_t{0}}, .fp_at = 0, .fp_word = 0, .by_fp = 0};

/// Of one thread: of no walk at first. Large, but touched only as far as stacks are deep.
class walk_memo {
 public:
  walk_memo() noexcept { lists_[0][0] = no_step; }  // the others are written before they are read

  /// False while a walk of this thread is under way: that one was interrupted by a signal handler,
  /// where there is no memo.
  bool begin_walk() noexcept {
    if (walking_.load(std::memory_order_relaxed)) return false;
    walking_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_acq_rel);
    return true;
  }
  /// Copies the steps [first, last) to `kept` in room(), as far as there is room: a list may be cut
  /// anywhere. Returns the end of the copy.
  walk_step* add(walk_step* kept, walk_step const* first, walk_step const* last) noexcept {
    return std::copy_n(first, std::min(last - first, room() + largest_stack - kept), kept);
  }
  /// The `kept` steps from `first` on are the last walk. At begin(), where those of the walk before
  /// are, they are added to them; else they are at room().
  void end_walk(walk_step const* first, std::size_t kept) noexcept {
    if (first == begin()) {
      if (kept > length_) set_length(kept);
    } else if (kept != 0) {
      last_ = 1 - last_;
      set_length(kept);
    }
    std::atomic_signal_fence(std::memory_order_acq_rel);
    walking_.store(false, std::memory_order_relaxed);
  }

  /// The walk that is under way will not end, and may have left a step half written.
  void forget() noexcept {
    set_length(0);
    walking_.store(false, std::memory_order_relaxed);
  }

  /// The steps of the last walk, innermost first, and `no_step` behind them.
  [[nodiscard]] walk_step* begin() noexcept { return lists_[last_].data(); }
  [[nodiscard]] walk_step* end() noexcept { return begin() + length_; }
  /// Room for largest_stack steps, as many as a walk takes.
  [[nodiscard]] walk_step* room() noexcept { return lists_[1 - last_].data(); }

 private:
  void set_length(std::size_t length) noexcept {
    length_ = std::min(length, largest_stack);
    *end() = no_step;
  }

  std::size_t length_ = 0;
  std::size_t last_ = 0;
  std::atomic<bool> walking_{false};
  std::array<std::array<walk_step, largest_stack + 1>, 2> lists_;
};

/// Writes the frames from `step` on to `out`, as long as their steps hold and there is room until
/// `end`. Returns the step out of the first one that was not written, `last` at the furthest.
inline walk_step const* follow_memo(walk_step const* step, walk_step const* last,
                                    std::uintptr_t*& out, std::uintptr_t const* end,
                                    std::size_t& by_fp) noexcept {
  std::uintptr_t* to = out;
  last = std::min(last, step + (end - to));
  for (; step != last; ++step) {
    // First, for what is behind a step that never holds may lie on a stack that is gone.
    if (detail::word_at(step->fp_at) != step->fp_word) break;
    // Every call pushes the return address just below its caller's stack pointer.
    if (detail::word_at(step[1].from.sp - 8) != step[1].from.pc) break;
    *to++ = step->from.pc;
    by_fp += step->by_fp;
  }
  out = to;
  return step;
}

/// The memo of the calling thread, which is in a walk from now on; null if it has none, or is in
/// one already.
walk_memo* begin_walk_of_thread() noexcept;

}  // namespace memprof::callstack
