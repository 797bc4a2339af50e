// SPDX-License-Identifier: MIT
/// \file
/// When the engine polls, and when it tries again: the numbers that engine and bounds share.
#pragma once

#include <cstdint>

namespace memprof::inline v0::detail {

/// Words between two checks of tokens, clocks, the global limit and budgets.
inline constexpr std::int64_t poll_interval = 1000;

/// Backoff after an interrupt was refused: words, doubled at each refusal.
inline constexpr std::int64_t shortest_backoff = 16;
inline constexpr int longest_backoff_doublings = 9;  // up to 8192 words

/// Words per frame of the refused walk. Its cost (15 ns a frame) is then a few percent of the cost
/// of allocating so many words, however deep the stack is.
inline constexpr std::int64_t backoff_per_frame = 64;

/// Words to the next attempt, after `refusals` refusals in a row before this one.
constexpr std::int64_t backoff_words(std::int64_t refusals, std::int64_t frames) noexcept {
  if (refusals < longest_backoff_doublings) return shortest_backoff << refusals;
  const std::int64_t longest = shortest_backoff << longest_backoff_doublings;
  return frames * backoff_per_frame > longest ? frames * backoff_per_frame : longest;
}

/// Words from an interrupt to the next one, if the task swallows it: the whole grace the first
/// time, so that a clean-up has room, a tenth of it the second time, and none from then on.
constexpr std::int64_t grace_after(std::int64_t deliveries, std::int64_t grace) noexcept {
  if (deliveries <= 1) return grace;
  return deliveries == 2 ? grace / 10 : 0;
}

}  // namespace memprof::inline v0::detail
