// SPDX-License-Identifier: MIT
/// \file
/// Who is told of sampled blocks, beside the accounts: a trace and a profile.
///
/// Each has a place, and in it a rate of its own. A thread samples at the highest rate that anyone
/// asks for and thins the samples of a block for each place; where none is left the place hears
/// nothing of the block. What a place's functions return when a block is allocated, its tag, stays
/// in the block's record and names the block from then on.
///
/// All functions of a place are called muted, on the thread that allocates, promotes or frees,
/// inside malloc or free: they keep to the rules of the first half. For one block: `allocated`,
/// then `promoted` at most once, then `freed` at most once, one after another, whichever threads
/// free and promote; nobody waits for that: a free that comes while `promoted` runs is told by the
/// thread that runs it, when it is done. Inside a function of a place no other is called on that
/// thread, but for `freed`, if it frees such a block.
///
/// A forked child has the observers and the rates of its parent, and its copy of the tags. What a
/// thread of the parent that the child does not have was just telling is not told in the child.
#pragma once

#include <cstdint>

#include "engine/observer_place.hpp"
#include "engine/tracked_block.hpp"

namespace memprof::engine {

struct observed_block {
  new_block const& block;
  std::uint64_t n_samples;  ///< at the place's rate, at least 1
  bool minor;
  std::uint32_t generation;  ///< of the rate at which they were drawn
};

/// A limit stops a task. What limits know of it; the engine only passes it on.
///
/// kind        memprof::limit_kind.
/// frame       as of new_block: frames at and below it are the library's.
struct raised_interrupt {
  std::uint8_t kind = 0;
  std::int64_t allowed = 0;
  std::int64_t measured = 0;
  std::uint64_t deferrals = 0;
  void const* frame = nullptr;
};

struct observer {
  observer_tag (*allocated)(observed_block const& block) noexcept;
  /// False: no longer interested; `freed` is not called.
  bool (*promoted)(observer_tag tag) noexcept;
  void (*freed)(observer_tag tag, bool major) noexcept;
  /// May be null. Called muted, on the thread that is interrupted, before the exception is thrown.
  void (*interrupted)(raised_interrupt const& what) noexcept = nullptr;
};

/// The functions of a place, for the rest of the process. Once for each place, before its first
/// rate.
void install_observer(observer_place place, observer const& functions) noexcept;

/// The rate at which the place is told of new blocks, per word; 0: of none. Blocks that have a tag
/// are promoted and freed as before. Each call begins a new generation: a block whose samples were
/// drawn before a thread took over the new rate is not told to the place, so a generation's samples
/// all have its rate.
///
/// The calling thread takes it over at once (inside an event: when that ends); the others, like
/// any rate, at their next event: after 8 MiB more at the latest. Of one place: one call at a time.
void set_observer_rate(observer_place place, double per_word) noexcept;
[[nodiscard]] double observer_rate(observer_place place) noexcept;

/// Number of the generation that the last call began; that of the next call is one more. A block
/// may still be told while the rate changes: `observed_block::generation` says what it belongs to.
[[nodiscard]] std::uint32_t observer_generation(observer_place place) noexcept;

/// Tells the places that have a rate, and a function for it. Inside an event or a muted section.
void tell_interrupted(raised_interrupt const& what) noexcept;

/// The highest rate of any place: every thread samples at it, or above.
[[nodiscard]] double highest_observer_rate() noexcept;

}  // namespace memprof::engine
