// SPDX-License-Identifier: MIT
// Expect: refuse_number
#include "memprof/bounds.hpp"

void risk_out_of_range() {
  using namespace memprof::literals;
#ifdef MEMPROF_VALID
  constexpr memprof::words n = memprof::safe_allocation(5_Mw, 1e-9);
#else
  constexpr memprof::words n = memprof::safe_allocation(5_Mw, 1.5);
#endif
  static_cast<void>(n);
}
