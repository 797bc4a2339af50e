// SPDX-License-Identifier: MIT
/// \file
/// A ceiling: what else to do with a task that was hit and cannot be stopped.
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
  std::uint64_t deferrals;    ///< how often it could not be
  char const* last_deferral;  ///< why the last deferral happened, a literal; null if none did
};

enum class ceiling_action : std::uint8_t {
  call,  ///< call `ceiling::callback`
  abort  ///< write to standard error what happened, and abort the process
};

/// A second limit, over the first: a task whose limit was hit and which nevertheless allocates
/// `beyond` more, because it runs where no interrupt can be raised or swallows what is raised.
///
/// beyond      >= 0, words allocated on the task's thread after the hit.
/// callback    called once a task, by its thread, inside throwing operator new and its like: the
///             thread is muted and no lock of this library is held, but the program may hold any.
///             What it throws is dropped and counted (`process_counters::callback_failures`).
///
/// `abort` also acts inside malloc; `call` waits for the next delivery point that is neither masked
/// nor during unwinding. The third thing to do with such a task is to pause it: a `memprof::task`
/// pauses at its limits, and when it was cancelled and did not end within its `cancel_patience`.
struct ceiling {
  bytes beyond{};
  ceiling_action action = ceiling_action::call;
  std::function<void(overrun const&)> callback = {};
};

}  // namespace memprof::inline v0
