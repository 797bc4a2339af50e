// SPDX-License-Identifier: MIT
// Expect: throw_out_of_range
#include "memprof/units.hpp"

void rate_out_of_range() {
#ifdef MEMPROF_VALID
  constexpr memprof::sampling_rate all{1.0};
#else
  constexpr memprof::sampling_rate all{100.0};
#endif
  static_cast<void>(all);
}
