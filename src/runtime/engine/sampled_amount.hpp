// SPDX-License-Identifier: MIT
/// \file
/// An amount estimated from samples, and its bounds.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"
#include "memprof/estimate.hpp"

#include "engine/account.hpp"
#include "engine/totals.hpp"

namespace memprof::engine {

/// An amount in bytes, estimated without bias from samples.
///
/// \see docs/statistical.md (26).
struct sampled_amount {
  double value = 0.0;
  double variance = 0.0;   ///< of `value`, estimated; bytes^2
  double uncertain = 0.0;  ///< the part of `value` that is subject to chance
  /// S in bytes: what an unsampled block may stand for, the longest interval at which one may have
  /// been drawn. 8 or less: every word was sampled, and the amount is exact.
  double unit = 0.0;
  std::uint64_t samples = 0;

  /// The true amount is below, or above, with probability `risk`, in (0, 1/2].
  /// \note Cost: 10 us.
  [[nodiscard]] double lower(double risk) const noexcept;
  [[nodiscard]] double upper(double risk) const noexcept;
  /// Whether lower(risk) > limit. Cheaper than `lower`.
  [[nodiscard]] bool is_over(double limit, double risk) const noexcept;
  /// Both, each with half of 1 - confidence.
  [[nodiscard]] MEMPROF_INTERNAL_API estimate with(double confidence) const noexcept;
};

/// The sum of an account, including a block about to be added. What an unsampled block may stand
/// for depends on all rates at which its blocks were sampled, and before there were any, on those
/// in force: that of the limits or, if it is higher, of the process.
MEMPROF_INTERNAL_API sampled_amount amount_of(account const& a,
                                              contribution const& coming = {}) noexcept;
/// A part of what an account has summed.
sampled_amount amount_of(account const& a, amounts const& part,
                         contribution const& coming) noexcept;
/// The same for a sum over all threads.
sampled_amount amount_of_process(live_sum const& sum, contribution const& coming = {}) noexcept;
/// Minor and major memory of the process together.
sampled_amount amount_of_process() noexcept;
/// Words allocated: `samples` samples of S = `interval` bytes each.
sampled_amount amount_of_samples(double samples, double interval) noexcept;

}  // namespace memprof::engine
