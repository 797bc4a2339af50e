// SPDX-License-Identifier: MIT
/// \file
/// How far off an amount may be that is estimated from samples.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "memprof/trace/info.hpp"

#include "analysis/interval.hpp"
#include "analysis/picked_moment.hpp"
#include "analysis/usage.hpp"

namespace memprof::analysis {

/// `estimated_bytes` of a trace, each count once.
class sample_errors {
 public:
  explicit sample_errors(trace::info const& info) : info_(info) {}
  /// \note Cost: some 100 us for a count that is new.
  estimated estimate(std::uint64_t samples, moment m = moment::given);

 private:
  trace::info const& info_;
  std::unordered_map<std::uint64_t, estimated> known_, known_picked_;
};

/// The number of blocks of at least one byte, by their samples: docs/statistical.md (34) and (35).
/// At rate 1 exact.
///
/// \note Cost: some us.
[[nodiscard]] estimated objects_estimate(trace::info const& info, amount const& a,
                                         moment m = moment::given);

/// The chance that two amounts which are truly equal differ by as much as these samples say, or
/// more: twice the smaller tail of the exact test of two Poisson counts (given their sum, `a` is
/// binomial).
///
/// \param scale_a,scale_b what one sample stands for in each, in the same unit.
double chance_of_difference(std::uint64_t a, double scale_a, std::uint64_t b, double scale_b);

}  // namespace memprof::analysis
