// SPDX-License-Identifier: MIT
/// \file
/// The observers of sampled blocks: a trace and a profile.
///
/// Each has a slot, and in it a rate of its own. A thread samples at the highest rate in use and
/// thins the samples of a block for each slot; a slot with none left is not notified of the block.
/// What a slot's functions return when a block is allocated, its tag, stays in the block's record
/// and names the block from then on.
///
/// All functions of a slot are called muted, on the thread that allocates, promotes or frees,
/// inside malloc or free: they keep to the rules of the first half. For one block: `allocated`,
/// then `promoted` at most once, then `freed` at most once, one after another, on whatever threads
/// free and promote it. No thread waits: if a free comes while `promoted` runs, the thread that
/// runs it calls `freed` afterwards. Inside a function of a slot no other is called on that
/// thread, except `freed`, if it frees such a block.
///
/// A forked child has the observers and rates of its parent, and a copy of the tags. Notifications
/// that other threads of the parent had begun are dropped in the child.
#pragma once

#include <cstdint>

#include "engine/observer_slot.hpp"
#include "engine/tracked_block.hpp"

namespace memprof::engine {

struct observed_block {
  new_block const& block;
  std::uint64_t n_samples;  ///< at the slot's rate, at least 1
  bool minor;
  std::uint32_t generation;  ///< of the rate at which they were drawn
};

/// An interrupt that a limit raises. The limits fill it in; the engine only passes it on.
///
///  - `kind`: memprof::limit_kind.
///  - `frame`: as of new_block: frames at and below it are the library's.
struct raised_interrupt {
  std::uint8_t kind = 0;
  std::int64_t allowed = 0;
  std::int64_t measured = 0;
  std::uint64_t deferrals = 0;
  void const* frame = nullptr;
};

struct observer {
  observer_tag (*allocated)(observed_block const& block) noexcept;
  /// False: no longer interested, and `freed` is not called.
  bool (*promoted)(observer_tag tag) noexcept;
  void (*freed)(observer_tag tag, bool major) noexcept;
  /// May be null. Called muted, on the thread that is interrupted, before the exception is thrown.
  void (*interrupted)(raised_interrupt const& what) noexcept = nullptr;
};

/// The functions of a slot, for the rest of the process. Once for each slot, before its first
/// rate.
void install_observer(observer_slot slot, observer const& functions) noexcept;

/// The rate at which the slot samples new blocks, per word; 0: it samples none. Blocks that have a
/// tag are promoted and freed as before. Each call begins a new generation. The slot is not
/// notified of blocks whose samples a thread drew before it adopted the new rate, so that all
/// samples of a generation have its rate.
///
/// The calling thread adopts it at once (inside an event: when that ends); the others, as with
/// any rate, at their next event: after 8 MiB more at the latest. One call at a time for a slot.
void set_observer_rate(observer_slot slot, double per_word) noexcept;

/// Number of the generation that the last call began; the next call adds one. A block
/// may still come while the rate changes: `observed_block::generation` is the one it belongs to.
[[nodiscard]] std::uint32_t observer_generation(observer_slot slot) noexcept;

/// Notifies the slots that have a rate and a function for it. In an event or muted section.
void notify_interrupted(raised_interrupt const& what) noexcept;

/// The highest rate of any slot: every thread samples at it, or above.
[[nodiscard]] double highest_observer_rate() noexcept;

}  // namespace memprof::engine
