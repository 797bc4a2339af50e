// SPDX-License-Identifier: MIT
/// \file
/// What is sure of a sampled amount, for scopes that say how likely a wrong interrupt may be.
#pragma once

#include <cstdint>

#include "engine/engine.hpp"
#include "limits/scope.hpp"

namespace memprof::inline v0::detail {

/// What counts for soft limits: the amount, or what it may be but for the scope's risk.
///
/// threshold   of the next soft limit, bytes: far below it the bound is not worth computing, and
///             the result is only known to be below it as well.
/// cost        near the threshold and over it 10 us.
double possible_amount(scope const& s, engine::sampled_amount const& amount,
                       std::int64_t threshold) noexcept;

/// Is words allocated, which are at the limit or beyond as they are counted, beyond it but for the
/// scope's risk? That is P(Bin(limit, p) >= samples) < risk, (5). True without a risk.
/// cost        6 us with a risk.
bool is_surely_beyond(scope const& s, std::int64_t limit, double words) noexcept;

/// The same for live memory: is its lower bound over the limit? cost: 10 us with a risk.
bool is_surely_over(scope const& s, std::int64_t limit,
                    engine::sampled_amount const& amount) noexcept;

}  // namespace memprof::inline v0::detail
