// SPDX-License-Identifier: MIT
/// \file
/// Requests that the recorder outside does not want to be granted: `memprof run --on-limit refuse`.
#pragma once

#include <cstddef>

#include "memprof/detail/export.hpp"

namespace memprof::tracer {

/// Whether a request of `size` bytes is larger than what the recorder says that there is room for.
/// The recorder counts those that are.
///
/// \note Threads: any, signal-safe.
/// \note Cost: a load if there is no recorder, else some.
MEMPROF_INTERNAL_API bool is_refused_by_recorder(std::size_t size) noexcept;

}  // namespace memprof::tracer
