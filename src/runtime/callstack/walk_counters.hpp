// SPDX-License-Identifier: MIT
/// \file
/// Counts of the stacks taken.
#pragma once

#include <cstdint>

namespace memprof::callstack {

struct frames_by_method {
  std::uint32_t by_frame_pointer = 0;
  std::uint32_t by_tables = 0;
};

/// Counts a stack. incomplete: it ended before the outermost frame, and not because of its length.
void count_walk(frames_by_method frames, bool incomplete) noexcept;

/// `open` gives this thread counts of its own, which it uses until `close`.
void open_walk_counters() noexcept;
void close_walk_counters() noexcept;

}  // namespace memprof::callstack
