// SPDX-License-Identifier: MIT
/// \file
/// Waiting a little, inside malloc and fork.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"

namespace memprof::base {

/// Sleeps for this many microseconds, below a million, or less if a signal comes. Keeps errno.
///
/// Not nanosleep(), which is a cancellation point: a thread that is cancelled in the middle of
/// malloc or fork would be unwound through code that must not be unwound.
MEMPROF_INTERNAL_API void sleep_uncancellable(std::int32_t microseconds) noexcept;

}  // namespace memprof::base
