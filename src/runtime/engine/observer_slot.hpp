// SPDX-License-Identifier: MIT
/// \file
/// The slots of observers, and what threads and records keep for each: observers.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memprof::engine {

enum class observer_slot : std::uint8_t { trace, profile };
inline constexpr std::size_t observer_slots = 2;

/// A slot's own name for a block; 0: it is not (or no longer) interested in the block.
using observer_tag = std::uint32_t;

/// The rate of a slot as a thread has adopted it.
struct adopted_rate {
  double per_word = 0.0;
  std::uint32_t generation = 0;
};

}  // namespace memprof::engine
