// SPDX-License-Identifier: MIT
/// \file
/// The interval of a share whose observations are not all worth the same.
#pragma once

#include <cstdint>

#include "analysis/interval.hpp"

namespace memprof::analysis {

/// A share that is as uncertain as one of `effective` independent observations: Clopper and
/// Pearson's interval of 95 % for so many, rounded to whole ones and outwards. It has a width at 0
/// and 1, too.
///
/// \param share in [0, 1].
/// \param effective >= 0; less than one counts as one.
/// \see docs/statistical.md (38); Korn and Graubard 1998.
/// \note Cost: some 0.1 ms.
[[nodiscard]] estimated effective_share(double share, double effective);

/// A share `part` of `whole` samples: the same interval, whole independent observations. 0 and no
/// width if `whole` is 0.
[[nodiscard]] estimated estimated_share(std::uint64_t part, std::uint64_t whole);

}  // namespace memprof::analysis
