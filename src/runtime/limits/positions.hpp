// SPDX-License-Identifier: MIT
/// \file
/// Positions of a thread, in words (engine/thread_state.hpp), and times in ns that never come.
#pragma once

#include <cstdint>

namespace memprof::inline v0::detail {

inline constexpr std::int64_t never = std::int64_t{1} << 62;
inline constexpr std::int64_t at_once = -never;

}  // namespace memprof::inline v0::detail
