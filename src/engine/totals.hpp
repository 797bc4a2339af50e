// SPDX-License-Identifier: MIT
/// \file
/// Sums over the whole process.
#pragma once

#include <atomic>
#include <cstdint>

#include "memprof/estimate.hpp"

#include "engine/account.hpp"

namespace memprof::engine {

/// Unit of `contribution::variance`, in bytes^2.
inline constexpr double variance_unit = 1024.0;

struct process_totals {
  live_sum minor;
  live_sum major;
  std::atomic<std::uint64_t> sampled_blocks{0};
  std::atomic<std::uint64_t> samples{0};
  std::atomic<std::uint64_t> promotions{0};
  std::atomic<std::uint64_t> dropped_blocks{0};
};

extern process_totals total;

/// The estimate that a sum stands for, a block that is about to come included.
///
/// source      docs/statistical.md, "Live memory": the sum is taken as value / (variance / value)
///             Poisson events of equal weight, whose bounds are Byar's approximation.
estimate estimate_of(live_sum const& sum, contribution const& coming, double confidence) noexcept;
inline estimate estimate_of(live_sum const& sum, double confidence) noexcept {
  return estimate_of(sum, contribution{}, confidence);
}
/// The same for a sum of two.
estimate estimate_of(live_sum const& a, live_sum const& b, double confidence) noexcept;
/// The same for `samples` samples of mean weight `interval` bytes each (words allocated).
estimate estimate_of_samples(double samples, double interval, double confidence) noexcept;

}  // namespace memprof::engine
