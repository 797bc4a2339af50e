// SPDX-License-Identifier: MIT
/// \file
/// The places of a landing pad that the reader has come to, with what is known in each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/base.hpp"
#include "delivery/reader/this_processor.hpp"

namespace memprof::delivery {

/// A table of blocks, by where they begin and whether the exception is being handled there, each
/// with what is known there on every path to it; and the list of those still to be read.
///
/// A block comes back to the list when less is known than before, which happens a bounded number of
/// times: that is why reading ends, however the code loops.
///
/// Large: lives in `frame_scratch`.
class pad_blocks {
 public:
  struct block {
    std::uintptr_t address;
    bool handling;
    bool waiting;  ///< is in the list
    processor::values values;
  };

  void reset() noexcept;

  /// A path on which this is known leads to `address`. False if there is no more room.
  bool reach(std::uintptr_t address, bool handling, processor::values const& known) noexcept;

  [[nodiscard]] bool contains(std::uintptr_t address, bool handling) const noexcept {
    return index_[find(address, handling)] != free;
  }

  /// The next block to read; null if there is none.
  block const* take() noexcept;

 private:
  static constexpr std::size_t capacity = 2048;
  static constexpr std::uint16_t free = 0xffff;

  [[nodiscard]] std::size_t find(std::uintptr_t address, bool handling) const noexcept;

  std::array<std::uint16_t, 2 * capacity> index_;        // open addressing
  base::bounded_list<std::uint16_t, capacity> waiting_;  // each block at most once
  std::size_t count_;
  std::array<block, capacity> blocks_;
};

}  // namespace memprof::delivery
