// SPDX-License-Identifier: MIT
// Expect: the task must not return a reference: return a pointer
#include "memprof/fiber.hpp"

void reference_from_fiber() {
  static int i = 0;
#ifdef MEMPROF_VALID
  memprof::task t{memprof::limits{}, []() -> int* { return &i; }};
#else
  memprof::task t{memprof::limits{}, []() -> int& { return i; }};
#endif
  t.resume();
}
