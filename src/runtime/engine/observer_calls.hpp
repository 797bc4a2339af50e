// SPDX-License-Identifier: MIT
/// \file
/// The engine's side of observers: calling them. For this component only.
#pragma once

#include <array>

#include "engine/observer_slot.hpp"
#include "engine/observers.hpp"

namespace memprof::engine {

using observer_tags = std::array<observer_tag, observer_slots>;

/// Whether an observer has one. (A comparison of arrays is a call of memcmp.)
constexpr bool any_of(observer_tags const& tags) noexcept {
  observer_tag all = 0;
  for (const observer_tag tag : tags) all |= tag;
  return all != 0;
}

/// Adopts the rates of all slots for this thread, and returns the highest.
double adopt_observer_rates() noexcept;

/// A block of this thread was sampled, at the thread's rate: thins its samples for each slot.
/// Called inside the event that drew them.
observer_tags notify_allocated(new_block const& block, bool minor) noexcept;

/// Returns the tags that are left.
observer_tags notify_promoted(observer_tags tags) noexcept;

/// Mutes the thread itself.
void notify_freed(observer_tags const& tags, bool major) noexcept;

/// In a forked child: completes a change of rates by a thread that does not exist there.
void reset_observers_after_fork() noexcept;

}  // namespace memprof::engine
