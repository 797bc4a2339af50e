// SPDX-License-Identifier: MIT
/// \file
/// Is a share of one trace another than that of a second one?
#pragma once

#include <cstdint>

namespace memprof::analysis {

/// The chance that two shares which are truly equal differ by as much as `a` of `whole_a` and `b`
/// of `whole_b` samples, or more. a <= whole_a, b <= whole_b.
///
/// \see docs/statistical.md (39): Fisher's exact test, twice the smaller tail.
/// \note Cost: grows with the square root of the counts: 1 ms for a million.
[[nodiscard]] double chance_of_shares(std::uint64_t a, std::uint64_t whole_a, std::uint64_t b,
                                      std::uint64_t whole_b);

}  // namespace memprof::analysis
