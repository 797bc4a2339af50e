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

/// The estimate that the sum of an account stands for, a block that is about to come included.
///
/// source      docs/statistical.md (26). What a block not seen may stand for is told by the rates
/// in
///             force: that of the limits or, if it is higher, of the process.
/// cost        20 us: for who asks, not for each event.
estimate estimate_of(live_sum const& sum, contribution const& coming, double confidence) noexcept;
inline estimate estimate_of(live_sum const& sum, double confidence) noexcept {
  return estimate_of(sum, contribution{}, confidence);
}
/// The same for what all threads do, at the rate of the process.
estimate estimate_of_process(live_sum const& sum, contribution const& coming,
                             double confidence) noexcept;
/// The same for minor and major memory together.
estimate estimate_of_process(double confidence) noexcept;
/// The same for `samples` samples of mean weight `interval` bytes each (words allocated).
estimate estimate_of_samples(double samples, double interval, double confidence) noexcept;

}  // namespace memprof::engine
