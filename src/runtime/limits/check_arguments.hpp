// SPDX-License-Identifier: MIT
/// \file
/// Refuses bad arguments before a task is run.
#pragma once

#include <chrono>

#include "memprof/detail/export.hpp"
#include "memprof/detail/run.hpp"

namespace memprof::inline v0::detail {

/// \throws std::invalid_argument naming `function` if `amount` is negative or over the maximum.
MEMPROF_INTERNAL_API void check_amount(char const* function, bytes amount);

/// \throws std::invalid_argument naming `function` if `time` is negative.
void check_time(char const* function, std::chrono::nanoseconds time);

/// \throws std::invalid_argument for any invalid part of the request.
MEMPROF_INTERNAL_API void check_request(scope_request const& request);

/// \throws std::invalid_argument if an environment variable is malformed.
/// \throws not_active if nothing feeds the sampler.
MEMPROF_INTERNAL_API void check_active(char const* function);

}  // namespace memprof::inline v0::detail
