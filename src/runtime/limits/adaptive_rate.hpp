// SPDX-License-Identifier: MIT
/// \file
/// The rate follows the live memory of a task: coarse far from its limit, finer near it.
#pragma once

#include <cstdint>

namespace memprof::inline v0::detail {

/// The rate for a task that has used the fraction `used` of its limit: `coarse` up to a half,
/// `finest` at the limit, and in between in steps of two, so that the rate seldom changes.
double rate_near_limit(double coarse, double finest, double used) noexcept;

/// Sets this thread's demand to the rate that its scopes need now. It takes effect after the
/// current event.
///
/// \param coming bytes that the event is about to add to each of them.
/// \note Cost: a load and a comparison, unless a scope has a finest rate.
void adjust_rate(std::int64_t coming) noexcept;

}  // namespace memprof::inline v0::detail
