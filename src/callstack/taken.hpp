// SPDX-License-Identifier: MIT
/// \file
/// What is counted of the stacks taken.
#pragma once

#include <cstdint>

namespace memprof::callstack {

struct frames_taken {
  std::uint32_t by_frame_pointer = 0;
  std::uint32_t by_tables = 0;
};

/// Counts a stack. incomplete: it ended before the outermost frame, and not because of its length.
void taken_stack(frames_taken frames, bool incomplete) noexcept;

}  // namespace memprof::callstack
