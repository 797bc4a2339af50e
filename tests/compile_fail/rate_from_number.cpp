// SPDX-License-Identifier: MIT
// Expect g++: no known conversion for argument 2 from 'double' to 'memprof::v0::sampling_rate'
// Expect clang: no matching function for call to 'probability_triggered'
#include "memprof/bounds.hpp"

void rate_from_number() {
  using namespace memprof::literals;
#ifdef MEMPROF_VALID
  static_cast<void>(memprof::probability_triggered(5_kw, memprof::sampling_rate{1e-4}));
#else
  static_cast<void>(memprof::probability_triggered(5_kw, 1e-4));
#endif
}
