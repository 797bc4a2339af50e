// SPDX-License-Identifier: MIT
/// \file
/// Reads the code of a landing pad: where may an exception end that enters it? AArch64.
#pragma once

#include <cstdint>

#include "delivery/aarch64/callee.hpp"
#include "delivery/aarch64/flow.hpp"
#include "delivery/reader/pad_outcomes.hpp"

namespace memprof::delivery::aarch64 {

/// Follows both sides of every branch, knowing no values: not the selector either, so a handler for
/// another type counts as much as the right one. What it misses the other reader's limits allow;
/// what it adds are ends that do not happen, and refusals.
///
/// Large: lives in `frame_scratch`.
class pad_reader {
 public:
  /// To be called before the first pad of a frame.
  void reset() noexcept;

  /// Reads the pad of `entry`, where an exception of this type arrives, and adds what it leads to:
  /// to `ends`, and to `next` what is raised again in the frame.
  void read(module_code const& module, landing const& entry, thrown type, pad_outcomes& ends,
            arrivals& next) noexcept;

 private:
  class visitor;

  flow flow_;
  callee_reader callees_;
  unsigned instructions_left_;
};

}  // namespace memprof::delivery::aarch64
