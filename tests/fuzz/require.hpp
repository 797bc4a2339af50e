// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>

namespace memprof_fuzz {

/// An input for which this does not hold is kept as a failure.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace memprof_fuzz
