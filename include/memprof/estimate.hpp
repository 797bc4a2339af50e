// SPDX-License-Identifier: MIT
/// \file
/// An amount estimated from samples, with a confidence interval.
#pragma once

#include <cstdint>

#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// An estimate, and an interval that contains the true amount with the stated probability.
///
///  - `value`: unbiased. The true amount is the sum of the counted words of all live blocks.
///  - `lower`, `upper`: lower <= true amount <= upper, with probability `confidence`, at whatever
///    rates the blocks were sampled. Both are `value` if that was rate 1.
///  - `samples`: number of sampled blocks that the estimate is computed from.
/// \see docs/statistical.md (7), (8), (26).
struct estimate {
  bytes value;
  bytes lower;
  bytes upper;
  double confidence = 0.95;
  std::uint64_t samples = 0;
};

}  // namespace memprof::inline v0
