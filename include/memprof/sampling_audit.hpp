// SPDX-License-Identifier: MIT
/// \file
/// Does the sampler of this process keep its law? A running test of the samples it took.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// What the audit has seen, and how likely a correct sampler does as badly. All are finite.
///
///     if (memprof::audit_sampling().p_value < 1e-9) log("do not trust the estimates");
///
/// samples         taken in the words audited.
/// audited         words counted at rates between 0 and 1: at those two nothing is random. Each
///                 thread's latest, up to 1 Mw, come in when it has counted 1 Mw or ends.
/// expected        samples that the law expects in these words.
/// z               (samples - expected) / its standard deviation.
/// p_value         of the count and the shape together: uniform on [0, 1] for a correct sampler,
///                 tiny for a wrong one. 1 below a variance of 200 samples (16 MB at the default
///                 rate).
/// count_p_value   of the number of samples alone, two-sided: is the rate right?
/// shape_p_value   of the gaps' law and the samples within large blocks, given the number.
///
/// One p-value is good for one look. Who looks n times, and fears the smallest, multiplies it by n.
/// Seeds that are set again repeat their samples, which then count for more than they are worth.
///
/// source          docs/statistical.md, section "The audit"; accuracy there.
struct sampling_audit {
  std::uint64_t samples = 0;
  words audited{};
  double expected = 0.0;
  double z = 0.0;
  double p_value = 1.0;
  double count_p_value = 1.0;
  double shape_p_value = 1.0;
};

/// The audit of this process since its start; a forked child's begins with the child.
///
/// Any thread; not from a signal handler. Takes no lock and does not allocate. Cost: 2
/// microseconds. The audit itself costs some nanoseconds for each sample, and nothing for other
/// allocations.
[[nodiscard]] MEMPROF_API sampling_audit audit_sampling() noexcept;

}  // namespace memprof::inline v0
