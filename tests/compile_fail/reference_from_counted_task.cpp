// SPDX-License-Identifier: MIT
// Expect: the task must not return a reference: return a pointer
#include "memprof/limits.hpp"

void reference_from_counted_task() {
  using namespace memprof::literals;
  static int i = 0;
#ifdef MEMPROF_VALID
  static_cast<void>(memprof::limit_allocations(1_MiB, []() -> int* { return &i; }));
#else
  static_cast<void>(memprof::limit_allocations(1_MiB, []() -> int& { return i; }));
#endif
}
