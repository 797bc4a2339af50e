// SPDX-License-Identifier: MIT
/// \file
/// A snapshot of the live profile, written: for pprof, and for people.
#pragma once

#include <string>

#include "endpoints/code_names.hpp"
#include "endpoints/live_profile.hpp"

namespace memprof::endpoints {

/// What changed from `before` to `now`: allocations, and where live memory grew. (A viewer draws
/// negative numbers of live memory badly, so where it shrank there is 0.)
[[nodiscard]] profile_snapshot difference(profile_snapshot const& before, profile_snapshot now);
/// The allocations since `before`, and the live memory of `now`.
[[nodiscard]] profile_snapshot allocated_since(profile_snapshot const& before,
                                               profile_snapshot now);

/// \param most_rows the largest are written one by one, the others as a single sample.
[[nodiscard]] std::string pprof_of(profile_snapshot const& s, char const* default_type,
                                   code_names& names, std::size_t most_rows = 20'000);

/// Totals, and the largest stacks by live memory.
[[nodiscard]] std::string text_of(profile_snapshot const& s, code_names& names,
                                  std::size_t most_rows = 50);

}  // namespace memprof::endpoints
