// SPDX-License-Identifier: MIT
/// \file
/// Does the sampler of this process work as it should? A running statistical test of its samples.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// What the audit has seen, and the p-values of its tests. All numbers are finite.
///
///     if (memprof::audit_sampling().p_value < 1e-9) log("do not trust the estimates");
///
///  - `samples`: taken in the audited words.
///  - `audited`: words counted at rates above 0 and below 1 (at 0 and 1 nothing is random). Each
///    thread's latest words are added when it has counted 1 Mw, or when it ends.
///  - `expected`: mean number of samples in these words.
///  - `z`: (samples - expected) / its standard deviation.
///  - `p_value`: of the count and the shape together: uniform on [0, 1] for a correct sampler, tiny
///    for a wrong one. 1 below a variance of 200 samples (16 MB at the default rate).
///  - `count_p_value`: of the number of samples alone, two-sided: is the rate right?
///  - `shape_p_value`: of the distribution of the gaps and of the samples within large blocks,
///    given their number.
///
/// A p-value holds for one look. For n looks, multiply the smallest p-value by n. Setting the same
/// seed again repeats samples, and the audit counts the repetition as new evidence.
///
/// \see docs/statistical.md, section "The audit"; accuracy there.
struct sampling_audit {
  /// What one consumer's estimates add up to, compared with the mean of what they should.
  ///
  ///  - `samples`: the expected sum, in samples. 0: there was no such consumer.
  ///  - `excess`: the sum minus `samples`.
  ///  - `deviation`: the standard deviation of `excess`, if nothing is wrong.
  ///  - `p_value`: at least the probability of an excess as large as that, on either side; it is
  ///    not part of the p-value above.
  struct estimate_check {
    double samples = 0.0;
    double excess = 0.0;
    double deviation = 0.0;
    double p_value = 1.0;
  };

  std::uint64_t samples = 0;
  words audited{};
  double expected = 0.0;
  double z = 0.0;
  double p_value = 1.0;
  double count_p_value = 1.0;
  double shape_p_value = 1.0;
  estimate_check live;     ///< weights of the blocks that are tracked
  estimate_check limits;   ///< words charged to limits that count by samples
  estimate_check trace;    ///< samples that the trace got
  estimate_check profile;  ///< samples that the profile got
};

/// The audit of this process since its start; a forked child's begins with the child.
///
/// Any thread; not from a signal handler. Takes no lock and does not allocate. Cost: 2 us. Keeping
/// the audit costs some nanoseconds for each sample, and nothing for other allocations.
[[nodiscard]] MEMPROF_API sampling_audit audit_sampling() noexcept;

}  // namespace memprof::inline v0
