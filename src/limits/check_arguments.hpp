// SPDX-License-Identifier: MIT
/// \file
/// Refuses bad arguments before a task is run.
#pragma once

#include "memprof/detail/run.hpp"

namespace memprof::detail {

/// throws      std::invalid_argument naming `function` if `amount` is negative or over the maximum.
void check_amount(char const* function, bytes amount);

/// throws      std::invalid_argument for any part of the request that makes no sense, or for a
///             malformed environment variable; not_active if nothing feeds the sampler.
void check_request(scope_request const& request);

}  // namespace memprof::detail
