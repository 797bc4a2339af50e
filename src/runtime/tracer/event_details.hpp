// SPDX-License-Identifier: MIT
/// \file
/// What the format says of an event, from what the engine says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memprof/trace/event.hpp"

#include "engine/engine.hpp"

namespace memprof::tracer {

/// An interrupt is recorded with its innermost frames only: the format has little room for them.
inline constexpr std::size_t frames_of_interrupt = 32;

inline trace::heap heap_of(engine::observed_block const& seen) noexcept {
  if (seen.block.from == engine::source::external) return trace::heap::external;
  return seen.minor ? trace::heap::minor : trace::heap::major;
}

/// Words, without the header.
inline std::uint64_t length_of(engine::observed_block const& seen) noexcept {
  return seen.block.size / 8 + (seen.block.size % 8 != 0 ? 1u : 0u);
}

}  // namespace memprof::tracer
