// SPDX-License-Identifier: MIT
// Expect: f must be noexcept: it runs while an interrupt unwinds the scope
#include "memprof/recovery.hpp"

void undo_may_throw() {
#ifdef MEMPROF_VALID
  memprof::on_interrupt undo{[]() noexcept {}};
#else
  memprof::on_interrupt undo{[] {}};
#endif
  undo.release();
}
