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
#include <new>

#include "base/page_memory.hpp"

namespace memprof::base {

/// Records of type T, recycled last in, first out. Index 0 means "none".
///
/// T           default-constructible from zeroed memory (it is constructed once, then reused as
///             its last user left it). Never destroyed.
/// bits        a chunk is 2^bits records.
/// threads     all members, from any thread. Signal-safe.
/// memory      chunks, mapped on demand, never given back.
template <class T, unsigned bits = 10>
class index_pool {
 public:
  /// A record for the caller alone; 0 if there is no memory.
  std::uint32_t acquire() noexcept {
    std::uint64_t head = free_.load(std::memory_order_acquire);
    while (index_of(head) != 0) {
      // The node may be taken and even returned in between: then the tag differs and we retry.
      const std::uint32_t next = node_at(index_of(head)).next.load(std::memory_order_relaxed);
      if (free_.compare_exchange_weak(head, pack(tag_of(head) + 1, next),
                                      std::memory_order_acquire)) {
        return index_of(head);
      }
    }
    return acquire_fresh();
  }

  /// Returns a record. The caller must not touch it afterwards.
  void release(std::uint32_t index) noexcept {
    node& released = node_at(index);
    std::uint64_t head = free_.load(std::memory_order_relaxed);
    do {
      released.next.store(index_of(head), std::memory_order_relaxed);
    } while (!free_.compare_exchange_weak(head, pack(tag_of(head) + 1, index),
                                          std::memory_order_release, std::memory_order_relaxed));
  }

  T& operator[](std::uint32_t index) noexcept { return node_at(index).value; }

  /// All indices that were ever acquired are in [1, highest()].
  /// Sequentially consistent, like the operation that raises it.
  [[nodiscard]] std::uint32_t highest() const noexcept {
    return fresh_.load(std::memory_order_seq_cst);
  }

 private:
  static constexpr std::uint32_t chunk_bits = bits;
  static constexpr std::uint32_t chunk_length = 1u << chunk_bits;
  static constexpr std::uint32_t chunk_count = 1u << 14;  // of 1024: 16 M records

  struct node {
    T value;
    std::atomic<std::uint32_t> next;
  };

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

  node& node_at(std::uint32_t index) noexcept {
    node* chunk = chunks_[index >> chunk_bits].load(std::memory_order_acquire);
    return chunk[index & (chunk_length - 1)];
  }

  std::uint32_t acquire_fresh() noexcept {
    std::uint32_t fresh = fresh_.load(std::memory_order_relaxed);
    do {
      if (fresh + 1 >= chunk_length * chunk_count) return 0;
      if (!ensure_chunk((fresh + 1) >> chunk_bits)) return 0;
    } while (!fresh_.compare_exchange_weak(fresh, fresh + 1, std::memory_order_seq_cst,
                                           std::memory_order_relaxed));
    return fresh + 1;
  }

  bool ensure_chunk(std::uint32_t chunk) noexcept {
    if (chunks_[chunk].load(std::memory_order_acquire) != nullptr) return true;
    void* memory = map_pages(sizeof(node) * chunk_length);
    if (memory == nullptr) return false;
    node* nodes = static_cast<node*>(memory);
    for (std::uint32_t i = 0; i < chunk_length; ++i) ::new (static_cast<void*>(nodes + i)) node{};
    node* expected = nullptr;
    if (!chunks_[chunk].compare_exchange_strong(expected, nodes, std::memory_order_acq_rel)) {
      unmap_pages(memory, sizeof(node) * chunk_length);
    }
    return true;
  }

  std::atomic<std::uint64_t> free_{0};
  std::atomic<std::uint32_t> fresh_{0};
  std::atomic<node*> chunks_[chunk_count]{};
};

}  // namespace memprof::base
