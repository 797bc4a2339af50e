// SPDX-License-Identifier: MIT
/// \file
/// The stacks of sampled blocks, summed while the program runs.
///
/// A row for each stack, set of labels and size of block (stack_rows), and the lives of single
/// blocks (block_lives). Threads of the program add to both inside malloc and free, without a lock;
/// whoever asks copies them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "memprof/units.hpp"

#include "endpoints/block_lives.hpp"
#include "endpoints/stack_rows.hpp"

namespace memprof::endpoints {

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
/// Whoever asks for frames has this meanwhile.
[[nodiscard]] stack_rows::holding hold_stacks() noexcept;
/// Return addresses, innermost first, of a row or a life. Empty also if its stack made room for
/// others: then none of its blocks lived.
[[nodiscard]] std::span<std::uintptr_t const> frames_of_stack(std::uint64_t stack) noexcept;
[[nodiscard]] inline std::span<std::uintptr_t const> frames_of(profile_row const& row) noexcept {
  return frames_of_stack(row.stack);
}

/// The blocks of the profile one by one. Times are microseconds since collecting began.
///
///  - `per_word`: the rate of the profile; that of `lives` is per_word / 2^halvings.
struct block_snapshot {
  double per_word = 0;
  std::chrono::system_clock::time_point began;
  std::int64_t taken = 0;
  lives_snapshot lives;
};

/// While collecting. Keeps what is freed until `for_another` has passed. One thread at a time.
[[nodiscard]] block_snapshot take_block_snapshot(std::chrono::microseconds for_another);
/// The same without the blocks.
void watch_blocks(std::chrono::microseconds for_another) noexcept;
/// Differs when blocks came or went.
[[nodiscard]] std::uint64_t block_changes() noexcept;

}  // namespace memprof::endpoints
