// SPDX-License-Identifier: MIT
/// \file
/// `index_pool`: a growing pool of records named by 32-bit indices, lock-free.
///
/// Lock-free because it is used inside malloc: a thread that holds a lock there when another
/// thread forks would leave the child with the lock taken for ever.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/page_memory.hpp"

namespace memprof::base {

/// What a pool does with memory that it does not need any more.
enum class pool_memory { kept, returned };

/// Records of type T, recycled last in, first out. Index 0 means "none".
///
/// \tparam T begins as zeroed memory, and is reused as its last user left it, or zeroed. Neither
///   constructed nor destroyed.
///  - `bits`: a chunk is 2^bits records.
/// \note Memory: chunks, mapped on demand. `kept`: for ever. `returned`: the records of a chunk
///   that is empty go back to the kernel, but for those of the eight chunks that were emptied last;
///   4 bytes are kept for each record. That costs each acquire and release a locked instruction
///   more.
/// \note Threads: all members, from any thread. Signal-safe.
template <class T, unsigned bits = 10, pool_memory memory = pool_memory::kept>
class index_pool {
 public:
  /// A record for the caller alone; 0 if there is no memory.
  std::uint32_t acquire() noexcept {
    const std::uint32_t index = pop();
    // Where its chunk is being given back just now, by a thread that may be gone (in a forked
    // child), or beneath this signal handler, the record is lost.
    return index != 0 && take(index) ? index : acquire_fresh();
  }

  /// Returns a record. The caller must not touch it afterwards.
  void release(std::uint32_t index) noexcept {
    push(index);
    if constexpr (memory == pool_memory::returned) {
      chunk& of = chunk_of(index);
      if (of.used.fetch_sub(1, std::memory_order_acq_rel) == 1) keep_empty(of, index >> chunk_bits);
    }
  }

  T& operator[](std::uint32_t index) noexcept {
    return chunk_of(index).value(index & (chunk_length - 1));
  }

  /// All indices that were ever acquired are in [1, highest()].
  /// Sequentially consistent, like the operation that raises it.
  [[nodiscard]] std::uint32_t highest() const noexcept {
    return fresh_.load(std::memory_order_seq_cst);
  }

 private:
  static constexpr std::uint32_t chunk_bits = bits;
  static constexpr std::uint32_t chunk_length = 1u << chunk_bits;
  static constexpr std::uint32_t chunk_count = 1u << 14;  // of 1024: 16 M records

  /// Records with their links, or apart from them.
  struct kept_chunk {
    struct {
      T value;
      std::atomic<std::uint32_t> next;
    } nodes[chunk_length];
    T& value(std::uint32_t i) noexcept { return nodes[i].value; }
    std::atomic<std::uint32_t>& next(std::uint32_t i) noexcept { return nodes[i].next; }
  };
  struct returned_chunk {
    T values[chunk_length];  // first, so that they begin a page
    std::atomic<std::uint32_t> nexts[chunk_length];
    /// Records that were handed out; `changing` while the pages go back.
    std::atomic<std::uint32_t> used;
    std::atomic<bool> queued;  ///< among the empty ones that are kept
    T& value(std::uint32_t i) noexcept { return values[i]; }
    std::atomic<std::uint32_t>& next(std::uint32_t i) noexcept { return nexts[i]; }
  };
  using chunk = std::conditional_t<memory == pool_memory::kept, kept_chunk, returned_chunk>;
  static constexpr std::uint32_t changing = ~std::uint32_t{0};
  static constexpr std::uint32_t most_empty = memory == pool_memory::kept ? 0 : 8;

  // free_ = | tag: 32 | index: 32 |; the tag counts changes, against ABA.
  static constexpr std::uint32_t index_of(std::uint64_t head) noexcept {
    return static_cast<std::uint32_t>(head);
  }
  static constexpr std::uint32_t tag_of(std::uint64_t head) noexcept {
    return static_cast<std::uint32_t>(head >> 32);
  }
  static constexpr std::uint64_t pack(std::uint32_t tag, std::uint32_t index) noexcept {
    return std::uint64_t{tag} << 32 | index;
  }

  chunk& chunk_of(std::uint32_t index) noexcept {
    return *chunks_[index >> chunk_bits].load(std::memory_order_acquire);
  }
  std::atomic<std::uint32_t>& next_of(std::uint32_t index) noexcept {
    return chunk_of(index).next(index & (chunk_length - 1));
  }

  std::uint32_t pop() noexcept {
    std::uint64_t head = free_.load(std::memory_order_acquire);
    while (index_of(head) != 0) {
      // The node may be taken and even returned in between: then the tag differs and we retry.
      const std::uint32_t next = next_of(index_of(head)).load(std::memory_order_relaxed);
      if (free_.compare_exchange_weak(head, pack(tag_of(head) + 1, next),
                                      std::memory_order_acquire)) {
        break;
      }
    }
    return index_of(head);
  }

  void push(std::uint32_t index) noexcept {
    std::atomic<std::uint32_t>& link = next_of(index);
    std::uint64_t head = free_.load(std::memory_order_relaxed);
    do {
      link.store(index_of(head), std::memory_order_relaxed);
    } while (!free_.compare_exchange_weak(head, pack(tag_of(head) + 1, index),
                                          std::memory_order_release, std::memory_order_relaxed));
  }

  /// Counts a record as handed out. False if its chunk is being given back.
  bool take([[maybe_unused]] std::uint32_t index) noexcept {
    if constexpr (memory == pool_memory::returned) {
      std::atomic<std::uint32_t>& used = chunk_of(index).used;
      std::uint32_t seen = used.load(std::memory_order_relaxed);
      do {
        if (seen == changing) return false;
      } while (!used.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire,
                                           std::memory_order_relaxed));
    }
    return true;
  }

  /// A chunk has become empty: it is kept, and the one before the last eight goes.
  void keep_empty(chunk& of, std::uint32_t number) noexcept {
    if (of.queued.load(std::memory_order_relaxed)) return;
    if (of.queued.exchange(true, std::memory_order_acq_rel)) return;
    const std::uint32_t at = next_empty_.fetch_add(1, std::memory_order_relaxed) % most_empty;
    const std::uint32_t oldest = empty_[at].exchange(number + 1, std::memory_order_acq_rel);
    // Never the one whose records are handed out for the first time.
    if (oldest == 0 || oldest - 1 == highest() >> chunk_bits) return;
    chunk& leaving = *chunks_[oldest - 1].load(std::memory_order_acquire);
    // Before it is given back: whoever empties it from here on queues it again.
    leaving.queued.store(false, std::memory_order_seq_cst);
    std::uint32_t none = 0;
    if (!leaving.used.compare_exchange_strong(none, changing, std::memory_order_acq_rel)) return;
    const std::size_t page = whole_pages(1);
    drop_pages(&leaving.values, sizeof leaving.values / page * page);
    leaving.used.store(0, std::memory_order_release);
  }

  std::uint32_t acquire_fresh() noexcept {
    std::uint32_t fresh = fresh_.load(std::memory_order_relaxed);
    do {
      do {
        if (fresh + 1 >= chunk_length * chunk_count) return 0;
        if (!ensure_chunk((fresh + 1) >> chunk_bits)) return 0;
      } while (!fresh_.compare_exchange_weak(fresh, fresh + 1, std::memory_order_seq_cst,
                                             std::memory_order_relaxed));
    } while (!take(++fresh));
    return fresh;
  }

  bool ensure_chunk(std::uint32_t number) noexcept {
    if (chunks_[number].load(std::memory_order_acquire) != nullptr) return true;
    void* const mapped = map_pages(sizeof(chunk));
    if (mapped == nullptr) return false;
    // Not constructed: records begin as zeroed pages, which stay uncommitted until they are used.
    auto* const fresh = static_cast<chunk*>(mapped);
    chunk* expected = nullptr;
    if (!chunks_[number].compare_exchange_strong(expected, fresh, std::memory_order_acq_rel)) {
      unmap_pages(mapped, sizeof(chunk));
    }
    return true;
  }

  std::atomic<std::uint64_t> free_{0};
  std::atomic<std::uint32_t> fresh_{0};
  std::atomic<chunk*> chunks_[chunk_count]{};
  std::atomic<std::uint32_t> empty_[most_empty + 1]{};
  std::atomic<std::uint32_t> next_empty_{0};
};

}  // namespace memprof::base
