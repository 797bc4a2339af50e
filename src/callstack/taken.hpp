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

/// From here on this thread counts in a cell of its own, until it does no more.
void open_counts_of_thread() noexcept;
void close_counts_of_thread() noexcept;

}  // namespace memprof::callstack
