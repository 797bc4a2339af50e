// SPDX-License-Identifier: MIT
/// \file
/// The engine's side of observers: who calls them, and when. For this component alone.
#pragma once

#include <array>

#include "engine/observer_slot.hpp"
#include "engine/observers.hpp"

namespace memprof::engine {

using observer_tags = std::array<observer_tag, observer_slots>;

/// Takes over the rates of all slots for this thread, and returns the highest.
double adopt_observer_rates() noexcept;

/// A block of this thread was sampled, at the thread's rate: thins its samples for each slot.
/// Called inside the event that drew them.
observer_tags notify_allocated(new_block const& block, bool minor) noexcept;

/// Returns the tags that are left.
observer_tags notify_promoted(observer_tags tags) noexcept;

/// Mutes the thread by itself.
void notify_freed(observer_tags const& tags, bool major) noexcept;

/// In a forked child: a change of rates by a thread that does not exist there is concluded.
void reset_observers_after_fork() noexcept;

}  // namespace memprof::engine
