// SPDX-License-Identifier: MIT
/// \file
/// The tracer's record of a sampled block while it lives. Its index is the block's tag.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace memprof::tracer {

///  - `session`: the trace that has its allocation (`relay_session::number`); other traces do not
///    know the block.
///
/// The rest is for events that found the ring full: they must not be lost, or a block would seem
/// to live for ever. The record itself then goes into a list, at most once.
struct traced_block {
  std::uint32_t session = 0;
  std::uint32_t next_late = 0;
  std::atomic<std::uint32_t> late{0};  ///< which events, of the bits below
  std::uint64_t promoted_at = 0;
  std::uint64_t collected_at = 0;

  static constexpr std::uint32_t late_promotion = 1;
  static constexpr std::uint32_t late_collection = 2;
};

extern constinit base::index_pool<traced_block> traced_blocks;

/// Late events. Lock-free.
class late_list {
 public:
  void add(std::uint32_t tag, std::uint32_t what, std::uint64_t time) noexcept {
    traced_block& block = traced_blocks[tag];
    (what == traced_block::late_promotion ? block.promoted_at : block.collected_at) = time;
    // Acquire and release: the times; and only the thread that finds 0 owns `next_late`.
    if (block.late.fetch_or(what, std::memory_order_acq_rel) == 0) link(tag);
  }

  /// Puts a block back that `take` returned, with events that are still late.
  void link(std::uint32_t tag) noexcept {
    traced_block& block = traced_blocks[tag];
    std::uint32_t first = first_.load(std::memory_order_relaxed);
    do {
      block.next_late = first;
    } while (!first_.compare_exchange_weak(first, tag, std::memory_order_release,
                                           std::memory_order_relaxed));
  }

  /// All of them, as a chain by `next_late`. 0: none.
  std::uint32_t take() noexcept {
    if (first_.load(std::memory_order_relaxed) == 0) return 0;
    return first_.exchange(0, std::memory_order_acquire);
  }

  [[nodiscard]] bool empty() const noexcept { return first_.load(std::memory_order_relaxed) == 0; }

  /// In a forked child, which has none of its own.
  void forget() noexcept { first_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> first_{0};
};

}  // namespace memprof::tracer
