// SPDX-License-Identifier: MIT
/// \file
/// A ceiling: what to do with a task whose limit was hit and that cannot be stopped.
#pragma once

#include <cstdint>
#include <functional>

#include "memprof/interrupted.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// A task at its ceiling.
struct overrun {
  limit_kind kind;            ///< of the limit that was hit
  bytes beyond;               ///< words allocated by the task's thread since then
  std::uint64_t deliveries;   ///< how often the interrupt was raised (and swallowed)
  std::uint64_t deferrals;    ///< how often it could not be raised
  char const* last_deferral;  ///< the reason of the last deferral, a literal; null if there is none
};

enum class ceiling_action : std::uint8_t {
  call,  ///< call `ceiling::callback`
  abort  ///< write to standard error what happened, and abort the process
};

/// A second limit above the first. A task reaches it if it allocates `beyond` more after a hit,
/// because it runs where no interrupt can be raised, or swallows the interrupts that are raised.
///
///  - `beyond`: >= 0, words allocated on the task's thread after the hit.
///  - `callback`: called once for each task, on its thread, at a delivery point such as throwing
///    operator new. The thread is muted and no lock of this library is held, but the program may
///    hold any. What it throws is dropped and counted (`process_counters::callback_failures`).
///
/// `abort` also acts inside malloc; `call` waits for the next delivery point that is neither masked
/// nor during unwinding. A third choice is to pause such a task: a `memprof::task` pauses at its
/// limits, and also if it was cancelled and did not end within its `cancel_patience`.
struct ceiling {
  bytes beyond{};
  ceiling_action action = ceiling_action::call;
  std::function<void(overrun const&)> callback = {};
};

}  // namespace memprof::inline v0
