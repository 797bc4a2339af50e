// SPDX-License-Identifier: MIT
/// \file
/// How far off what samples stand for may be.
#pragma once

#include <cstdint>

#include "memprof/trace/info.hpp"

#include "analysis/picked_moment.hpp"

namespace memprof::analysis {

/// What samples stand for, and the interval that holds the truth with 95 %.
struct estimated {
  double value = 0;
  double lower = 0;
  double upper = 0;
  /// The wider side of the interval as a share of the value; 0 if there is nothing.
  [[nodiscard]] double relative_error() const noexcept;
};

/// Bytes, from the exact law of the samples (docs/statistical.md (25)) as long as there are at most
/// 10^5 of them, and from its normal limit beyond, where both agree to 1 %; wider at a moment that
/// samples picked (37). At rate 1 the value itself.
[[nodiscard]] estimated estimated_bytes(trace::info const& info, std::uint64_t samples,
                                        moment m = moment::given);

}  // namespace memprof::analysis
