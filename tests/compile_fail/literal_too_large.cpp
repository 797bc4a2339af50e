// SPDX-License-Identifier: MIT
// Expect: literal_out_of_range
#include "memprof/units.hpp"

void literal_too_large() {
  using namespace memprof::literals;
#ifdef MEMPROF_VALID
  static_cast<void>(8'589'934'591_GiB);
#else
  static_cast<void>(8'589'934'592_GiB);  // 2^63 bytes
#endif
}
