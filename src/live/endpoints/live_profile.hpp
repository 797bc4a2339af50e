// SPDX-License-Identifier: MIT
/// \file
/// The stacks of sampled blocks, summed while the program runs.
///
/// A row for each stack, set of labels and size of block. Threads of the program find and add to
/// rows inside malloc and free, without a lock; whoever asks copies them. Rows and stacks are never
/// removed, and their number is bounded: what finds no room is summed in rows without a stack, by
/// the order of magnitude of its size.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "memprof/units.hpp"

namespace memprof::endpoints {

/// A copy of a row.
///
/// index       the row's, as long as the process lives.
/// stack       0: unknown.
/// labels      0: none.
/// words       of each of its blocks, counted: with a header.
/// allocated   samples in blocks since collecting began.
/// in_use      samples in blocks that are not freed.
struct profile_row {
  std::uint32_t index = 0;
  std::uint32_t stack = 0;
  std::uint32_t labels = 0;
  std::uint64_t words = 1;
  std::uint64_t allocated = 0;
  std::uint64_t in_use = 0;
};

/// The rows that have ever had a sample, by index.
struct profile_snapshot {
  double per_word = 0;
  std::chrono::system_clock::time_point began;
  std::chrono::system_clock::time_point taken;
  std::vector<profile_row> rows;
};

/// Samples in all blocks since collecting began.
struct collected_samples {
  double per_word = 0;
  std::uint64_t allocated = 0;
  std::uint64_t without_stack = 0;  ///< those that found no room
};

/// See collect_stacks.
void begin_collecting(std::optional<sampling_rate> rate);
/// nullopt: not collecting.
[[nodiscard]] std::optional<collected_samples> samples_collected() noexcept;
/// While collecting.
[[nodiscard]] profile_snapshot take_snapshot();
/// Return addresses, innermost first.
[[nodiscard]] std::span<std::uintptr_t const> frames_of(profile_row const& row) noexcept;

}  // namespace memprof::endpoints
