// SPDX-License-Identifier: MIT
/// \file
/// Chunks that are empty and still hold memory, so that a program that frees and allocates blocks
/// of a size in turns does not get new pages from the kernel each time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/slot_chunk.hpp"

namespace memprof::base {

/// A queue of at most 256 chunks. Lock-free; entries may be in use again, which is found out when
/// they leave it.
///
///  - `limit`: eight times the largest chunk that was emptied, between 1 and 64 MiB. A block that
///    grows by an eighth, as Python's lists do, goes through chunks of nine times its last size in
///    all, and one that is then grown anew finds most of them. (glibc keeps up to 64 MiB, too, by
///    its dynamic thresholds, see mallopt(3), M_MMAP_THRESHOLD; but most blocks grow in place
///    there.) Larger chunks are not kept.
class kept_chunks {
 public:
  static constexpr std::size_t largest_kept = std::size_t{32} << 20;
  static constexpr std::size_t least_limit = std::size_t{1} << 20;
  static constexpr std::size_t most_limit = std::size_t{64} << 20;

  /// The chunk has become empty. Calls give_back(chunk) for those that leave the queue.
  template <class GiveBack>
  void enter(slot_chunk& chunk, GiveBack&& give_back) noexcept {
    const std::size_t size = chunk.area->chunk_size;
    if (size > largest_kept) return give_back(chunk);
    if (chunk.queued.load(std::memory_order_relaxed)) return;
    if (chunk.queued.exchange(true, std::memory_order_seq_cst)) return;
    raise_limit(size);
    bytes_.fetch_add(size, std::memory_order_relaxed);
    const std::uint32_t at = head_.fetch_add(1, std::memory_order_relaxed);
    if (slot_chunk* const oldest = exchange(at, &chunk)) leave(*oldest, give_back);
    for (int i = 0; i < 8 && bytes_.load(std::memory_order_relaxed) > limit(); ++i) {
      const std::uint32_t tail = tail_.fetch_add(1, std::memory_order_relaxed);
      if (slot_chunk* const oldest = exchange(tail, nullptr)) leave(*oldest, give_back);
    }
  }

 private:
  static constexpr std::uint32_t length = 256;

  slot_chunk* exchange(std::uint32_t at, slot_chunk* chunk) noexcept {
    return entries_[at % length].exchange(chunk, std::memory_order_acq_rel);
  }
  template <class GiveBack>
  void leave(slot_chunk& chunk, GiveBack&& give_back) noexcept {
    bytes_.fetch_sub(chunk.area->chunk_size, std::memory_order_relaxed);
    // Before it is given back: whoever empties it from here on enters it again.
    chunk.queued.store(false, std::memory_order_seq_cst);
    give_back(chunk);
  }
  void raise_limit(std::size_t size) noexcept {
    std::size_t seen = largest_.load(std::memory_order_relaxed);
    while (seen < size && !largest_.compare_exchange_weak(seen, size, std::memory_order_relaxed)) {
    }
  }
  [[nodiscard]] std::size_t limit() const noexcept {
    return std::clamp(8 * largest_.load(std::memory_order_relaxed), least_limit, most_limit);
  }

  std::atomic<slot_chunk*> entries_[length]{};
  std::atomic<std::uint32_t> head_{0};
  std::atomic<std::uint32_t> tail_{0};
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t> largest_{0};
};

}  // namespace memprof::base
