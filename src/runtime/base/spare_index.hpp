// SPDX-License-Identifier: MIT
/// \file
/// A thread's spare record: if it returns one and soon needs one again, it gets the same, still in
/// its cache, without the pool's locked instructions.
#pragma once

#include <cstdint>

namespace memprof::base {

/// Of one thread and one pool, thread-local and zero-initialised. A signal handler on the thread
/// that comes in between may at worst cost the pool a record, never give it out twice: handlers
/// that interrupt `acquire` find the thread muted, and acquire nothing.
class spare_index {
 public:
  template <class Pool>
  std::uint32_t acquire(Pool& pool) noexcept {
    const std::uint32_t index = index_;
    if (index == 0) return pool.acquire();
    index_ = 0;
    return index;
  }

  /// \param may_keep this thread's end will be noticed, and `give_back` called.
  template <class Pool>
  void release(Pool& pool, std::uint32_t index, bool may_keep) noexcept {
    if (may_keep && index_ == 0) {
      index_ = index;
    } else {
      pool.release(index);
    }
  }

  template <class Pool>
  void give_back(Pool& pool) noexcept {
    const std::uint32_t index = index_;
    index_ = 0;
    if (index != 0) pool.release(index);
  }

 private:
  std::uint32_t index_ = 0;
};

}  // namespace memprof::base
