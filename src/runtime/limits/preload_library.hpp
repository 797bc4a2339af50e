// SPDX-License-Identifier: MIT
/// \file
/// Interrupts of this copy, for a trace that the preload library writes.
#pragma once

#include "copies/copies.hpp"
#include "engine/engine.hpp"

namespace memprof::inline v0::detail {

inline void notify_preload_library(engine::raised_interrupt const& what) noexcept {
  // Its own interrupts its engine knows already.
  if (memprof_preload_interrupted == nullptr || copies::in_preload_library()) return;
  memprof_preload_interrupted(what.kind, what.allowed, what.measured, what.deferrals, what.frame);
}

}  // namespace memprof::inline v0::detail
