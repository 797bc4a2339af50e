// SPDX-License-Identifier: MIT
/// \file
/// Exact confidence intervals for the amounts that samples stand for.
///
/// Whatever the true amount is, an interval contains it with probability `confidence` or more, and
/// misses it on either side with probability (1 - confidence)/2 or less. constexpr;
/// std::domain_error for arguments out of range. About 100 us at run time.
///
/// \see docs/statistical.md (24) to (26).
#pragma once

#include <cstdint>

#include "memprof/units.hpp"

namespace memprof::inline v0 {

struct words_interval {
  words lower, upper;
};
struct count_interval {
  std::int64_t lower, upper;
};
struct real_interval {
  double lower, upper;
};

/// The words allocated, given the number of samples in them: all n for which
/// P(Bin(n, p) >= samples) and P(Bin(n, p) <= samples) are both (1 - confidence)/2 or more.
/// Exact to the word.
constexpr words_interval allocated_interval(std::uint64_t samples, double confidence = 0.95,
                                            sampling_rate rate = default_sampling_rate);

/// The number of blocks of `block` counted words each, given how many of them are tracked. Exact.
constexpr count_interval blocks_interval(std::uint64_t tracked, words block,
                                         double confidence = 0.95,
                                         sampling_rate rate = default_sampling_rate);

/// The mean of a Poisson count, given the count (Garwood 1936); relative error 1e-12.
constexpr real_interval poisson_interval(std::uint64_t count, double confidence = 0.95);

}  // namespace memprof::inline v0

#include "memprof/detail/confidence_functions.hpp"
