// SPDX-License-Identifier: MIT
/// \file
/// Memory for the reader of landing pads, off the stack: a fiber's may be 16 KiB.
#pragma once

#include "delivery/reader/pad_reader.hpp"

namespace memprof::delivery {

struct frame_scratch {
  pad_reader reader;
  arrivals arriving;
};

/// Borrows a block of pages: one that was given back before, or a new one. A few are kept.
///
/// \note Threads: any, signal handlers too: lock-free. A block that is borrowed while another
///   thread forks is lost in the child.
class borrowed_scratch {
 public:
  borrowed_scratch() noexcept;
  ~borrowed_scratch();
  borrowed_scratch(borrowed_scratch const&) = delete;
  borrowed_scratch& operator=(borrowed_scratch const&) = delete;

  /// Null if the kernel gives no memory. Its contents are whatever was left there.
  [[nodiscard]] frame_scratch* get() const noexcept { return block_; }

 private:
  frame_scratch* block_;
};

}  // namespace memprof::delivery
