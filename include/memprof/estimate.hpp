// SPDX-License-Identifier: MIT
/// \file
/// An amount estimated from samples, with its error.
#pragma once

#include <cstdint>

#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// An estimate and the interval that holds the truth with the stated probability.
///
/// value       unbiased. The truth is the sum over all live blocks of their counted words.
/// lower       truth >= lower, and
/// upper       truth <= upper, both together with probability `confidence`.
/// samples     number of sampled blocks that it rests on.
/// source      docs/statistical.md (7), (8), (26).
struct estimate {
  bytes value;
  bytes lower;
  bytes upper;
  double confidence = 0.95;
  std::uint64_t samples = 0;
};

}  // namespace memprof::inline v0
