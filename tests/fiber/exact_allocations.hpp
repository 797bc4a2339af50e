// SPDX-License-Identifier: MIT
/// \file
/// A limit that is hit at a point which a test can name.
#pragma once

#include "memprof/limits.hpp"

namespace memprof::test {

inline limits exact_allocations(bytes most) {
  return {.allocations = most, .count = counting::exact};
}

}  // namespace memprof::test
