// SPDX-License-Identifier: MIT
/// \file
/// A state that replays.
#pragma once

#include <cstdint>

#include "sampling/random.hpp"

namespace memprof::test {

inline sampling::random_state seeded(std::uint64_t number, std::uint64_t stream = 0) {
  sampling::random_state random;
  sampling::seed(random, number, stream);
  return random;
}

}  // namespace memprof::test
