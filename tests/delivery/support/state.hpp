// SPDX-License-Identifier: MIT
/// \file
/// What operator new, the boundaries and the observer share in the observed process.
#pragma once

#include <atomic>

#include "support/observation.hpp"

namespace memprof::test {

/// An object in the frame that the interrupt must reach.
struct boundary {
  int uncaught_at_entry;
  boundary const* outer;
};

/// The boundary of this thread; if it has none, that of the body.
boundary const* current_boundary() noexcept;

/// The function whose frames the boundaries are.
void const* boundary_code() noexcept;

struct run_state {
  std::atomic<long> countdown{0};    ///< allocations until the interrupt; 0: none is wanted
  std::atomic<bool> pending{false};  ///< refused, to be tried again
  std::atomic<bool> raised{false};
  std::atomic<boundary const*> target{nullptr};
  std::atomic<boundary const*> reached{nullptr};
  std::atomic<boundary const*> of_body{nullptr};
  std::atomic<unsigned> allocations{0};
  std::atomic<long> live_blocks{0};  ///< of operator new
  bool leaves_blocks = false;
  bool by_ordinal = false;  ///< `interrupt_next` has no effect
  bool (*check)() = nullptr;
  method how = method::force;
  bool plain = false;           ///< raise a std::bad_alloc
  observation* seen = nullptr;  ///< in memory shared with the observer; null: not observed
};
extern run_state state;

/// Called by operator new before it allocates. Throws the interrupt.
void allocation_point();

}  // namespace memprof::test
