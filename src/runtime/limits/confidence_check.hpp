// SPDX-License-Identifier: MIT
/// \file
/// Bounds of a sampled amount, for scopes with a false-interrupt probability (their *risk*).
#pragma once

#include <cstdint>

#include "engine/engine.hpp"
#include "limits/scope.hpp"

namespace memprof::inline v0::detail {

/// The amount to compare with soft limits: the amount's upper bound at the scope's risk, or the
/// amount itself without a risk.
///
/// \param threshold of the next soft limit, bytes. Far below it the bound is not computed; the
///   result is then only known to be below it, too.
/// \note Cost: near the threshold and over it 10 us.
double possible_amount(scope const& s, engine::sampled_amount const& amount,
                       std::int64_t threshold) noexcept;

/// Whether allocated words, counted at the limit or beyond, are beyond it except for the scope's
/// risk: P(Bin(limit, p) >= samples) < risk, (5). True without a risk.
/// \note Cost: 6 us with a risk.
bool is_surely_beyond(scope const& s, std::int64_t limit, double words) noexcept;

/// The same for live memory, which goes up and down: over the limit at look number `look` (1, 2,
/// ...) of this task, except for what that look may spend of the scope's risk. So the risk holds
/// for all looks of a life together.
///
/// \param before what is live without the block to come, whose being sampled is why we look.
/// \param coming that block's bytes, which are known.
/// \note Cost: a tail of the gamma law with a risk.
bool is_surely_over(scope const& s, std::int64_t limit, engine::sampled_amount const& before,
                    std::int64_t coming, std::uint64_t look) noexcept;

}  // namespace memprof::inline v0::detail
