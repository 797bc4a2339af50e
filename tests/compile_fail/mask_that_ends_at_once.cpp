// SPDX-License-Identifier: MIT
// Expect: nodiscard
#include "memprof/masking.hpp"

void mask_that_ends_at_once() {
#ifdef MEMPROF_VALID
  memprof::masked_scope const mask;
#else
  memprof::masked_scope();  // destroyed at the semicolon
#endif
}
