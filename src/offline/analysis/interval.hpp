// SPDX-License-Identifier: MIT
/// \file
/// How far off what samples stand for may be.
#pragma once

#include <cstdint>

#include "memprof/trace/info.hpp"

#include "analysis/picked_moment.hpp"

namespace memprof::analysis {

/// What samples stand for, and the interval that holds the truth with 95 %. (For numbers of blocks,
/// too: sample_error.hpp.)
struct estimated {
  double value = 0;
  double lower = 0;
  double upper = 0;
  /// The wider side of the interval as a share of the value; 0 if there is nothing. The interval
  /// lies within value * (1 +- this): reports print it, rounded up (error_text).
  [[nodiscard]] double relative_error() const noexcept;
};

/// Bytes, from the exact law of the samples (docs/statistical.md (25)), whatever the sizes of the
/// blocks, and from its normal limit beyond 2^63 words; wider at a moment that samples picked (37).
/// At rate 1 the value itself.
///
/// \note Cost: some 100 us; `sample_errors` keeps what it has computed.
[[nodiscard]] estimated estimated_bytes(trace::info const& info, std::uint64_t samples,
                                        moment m = moment::given);

}  // namespace memprof::analysis
