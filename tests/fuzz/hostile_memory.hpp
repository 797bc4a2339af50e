// SPDX-License-Identifier: MIT
/// \file
/// A hostile program's side of the shared memory: it writes just before the recorder reads a word,
/// as the input says, so that what was checked is not what is used unless it was read once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "relay/read_once.hpp"

namespace memprof_fuzz {

/// delay     reads of the recorder before it is written.
/// at        the word; what: its new value.
struct scribble {
  std::uint8_t delay;
  std::uint64_t* at;
  std::uint64_t what;
};

class hostile_memory {
 public:
  void plan(std::vector<scribble> all) {
    all_ = std::move(all);
    next_ = 0;
    left_ = all_.empty() ? 0 : all_.front().delay;
    active_.store(true, std::memory_order_release);
  }
  void end() { active_.store(false, std::memory_order_release); }

  /// One thread at a time: others' reads write nothing.
  void before_read() noexcept {
    if (!active_.load(std::memory_order_acquire) || busy_.test_and_set(std::memory_order_acquire))
      return;
    while (next_ < all_.size() && left_ == 0) {
      __atomic_store_n(all_[next_].at, all_[next_].what, __ATOMIC_RELAXED);
      if (++next_ < all_.size()) left_ = all_[next_].delay;
    }
    if (left_ > 0) --left_;
    busy_.clear(std::memory_order_release);
  }

 private:
  std::vector<scribble> all_;
  std::size_t next_ = 0;
  unsigned left_ = 0;
  std::atomic<bool> active_{false};
  std::atomic_flag busy_;
};

inline hostile_memory hostile;

}  // namespace memprof_fuzz

/// Once in each fuzzer.
void memprof::relay::fuzz_before_read() noexcept { memprof_fuzz::hostile.before_read(); }
