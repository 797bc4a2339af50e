// SPDX-License-Identifier: MIT
/// \file
/// Points at which a scenario can be interrupted.
#pragma once

#include "support/allocate.hpp"

namespace memprof::test {

/// Allocates a small block and frees it, n times: n points.
inline void take_and_give(int n = 1) {
  for (int i = 0; i < n; ++i) release(allocate(small_block), small_block);
}

}  // namespace memprof::test
