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
/// thread that runs it, when it is done.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/tracked_block.hpp"

namespace memprof::engine {

enum class observer_place : std::uint8_t { trace, profile };
inline constexpr std::size_t observer_places = 2;

/// A place's own name of a block; 0: it is not interested in the block (any more).
using observer_tag = std::uint32_t;

struct observed_block {
  new_block const& block;
  std::uint64_t n_samples;  ///< at the place's rate, at least 1
  bool minor;
};

struct observer {
  observer_tag (*allocated)(observed_block const& block) noexcept;
  /// False: no longer interested; `freed` is not called.
  bool (*promoted)(observer_tag tag) noexcept;
  void (*freed)(observer_tag tag, bool major) noexcept;
};

/// The functions of a place, for the rest of the process. Once for each place, before its first
/// rate.
void install_observer(observer_place place, observer const& functions) noexcept;

/// The rate at which the place is told of new blocks, per word; 0: of none. Blocks that have a tag
/// are promoted and freed as before. Each call begins a new generation: a block whose samples were
/// drawn before a thread took over the new rate is not told to the place, so a generation's samples
/// all have its rate.
void set_observer_rate(observer_place place, double per_word) noexcept;
[[nodiscard]] double observer_rate(observer_place place) noexcept;

}  // namespace memprof::engine
