// SPDX-License-Identifier: MIT
// Expect: nodiscard
#include "memprof/recovery.hpp"

void undo_that_ends_at_once() {
#ifdef MEMPROF_VALID
  memprof::on_interrupt undo{[]() noexcept {}};
#else
  memprof::on_interrupt{[]() noexcept {}};  // destroyed at the semicolon
#endif
}
