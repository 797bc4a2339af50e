// SPDX-License-Identifier: MIT
/// \file
/// The engine's side of observers: who calls them, and when. For this room alone.
#pragma once

#include <array>

#include "engine/observer_place.hpp"
#include "engine/observers.hpp"

namespace memprof::engine {

using observer_tags = std::array<observer_tag, observer_places>;

/// Takes over the rates of all places for this thread, and returns the highest.
double adopt_observer_rates() noexcept;

/// A block of this thread was sampled, at the thread's rate: thins its samples for each place.
/// Called inside the event that drew them.
observer_tags tell_allocated(new_block const& block, bool minor) noexcept;

/// Returns the tags that are left.
observer_tags tell_promoted(observer_tags tags) noexcept;

/// Mutes the thread by itself.
void tell_freed(observer_tags const& tags, bool major) noexcept;

/// In a forked child: a change of rates by a thread that does not exist there is concluded.
void reset_observers_after_fork() noexcept;

}  // namespace memprof::engine
