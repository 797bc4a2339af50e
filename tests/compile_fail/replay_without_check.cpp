// SPDX-License-Identifier: MIT
// Expect: constraints not satisfied
#include "memprof/testing.hpp"

void replay_without_check() {
  memprof::testing::interrupt_options const options;
#ifdef MEMPROF_VALID
  static_cast<void>(memprof::testing::replay_interrupt(
      1, [] {}, [] {}, options));
#else
  static_cast<void>(memprof::testing::replay_interrupt(
      1, [] {}, options));
#endif
}
