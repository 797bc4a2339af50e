// SPDX-License-Identifier: MIT
/// \file
/// Front header of the room `delivery`: may an interrupt be raised here and now?
#pragma once

#include <cstdint>

namespace memprof::delivery {

/// Where an interrupt would have to go, and what is known of the way.
struct attempt {
  void const* boundary;   ///< an object in the frame of the limit function it must reach
  int uncaught_at_entry;  ///< std::uncaught_exceptions() when that scope began
  bool masked;            ///< inside a masked region
};

/// The answer. `reason` is a literal that says why not; null if it may be raised.
struct decision {
  char const* reason = nullptr;
  std::uintptr_t place = 0;  ///< a pc in the frame that refused; 0 if it was none
  [[nodiscard]] bool deliver() const noexcept { return reason == nullptr; }
};

/// The checks in the order of their cost: the mask, exceptions in flight, the pre-flight.
///
/// Called only when an interrupt is pending, at a delivery point, with the thread muted. Takes no
/// lock and allocates nothing.
decision decide(attempt const& a) noexcept;

/// The last check: would a throw from here reach `boundary`? This is the seam for the walk over
/// the unwind tables and landing pads, which takes its place behind this declaration. Until then
/// every place that passed the checks before it is taken to be deliverable.
decision preflight(void const* boundary) noexcept;

}  // namespace memprof::delivery
