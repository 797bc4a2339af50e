// SPDX-License-Identifier: MIT
// Expect: refuse(
#include "memprof/bounds.hpp"

void no_amount_is_certain() {
  using namespace memprof::literals;
#ifdef MEMPROF_VALID
  constexpr auto n = memprof::certain_interruption(5_Mw, 1e-9);
#else
  constexpr auto n = memprof::certain_interruption(5_Mw, 1e-9, memprof::sampling_rate{0.0});
#endif
  static_cast<void>(n);
}
