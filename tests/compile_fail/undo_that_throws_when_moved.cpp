// SPDX-License-Identifier: MIT
// Expect: f must be nothrow move constructible: capture by reference, or what moves
#include "memprof/recovery.hpp"

struct undo_that_throws_when_moved_function {
  undo_that_throws_when_moved_function() = default;
#ifdef MEMPROF_VALID
  undo_that_throws_when_moved_function(undo_that_throws_when_moved_function&&) noexcept {}
#else
  undo_that_throws_when_moved_function(undo_that_throws_when_moved_function&&) {}
#endif
  void operator()() const noexcept {}
};

void undo_that_throws_when_moved() {
  memprof::on_interrupt undo{undo_that_throws_when_moved_function{}};
  undo.release();
}
