// SPDX-License-Identifier: MIT
//
// Frames of code that is compiled in a special way: without exceptions, without tables, as C++14,
// by hand.
#include "special/special.hpp"

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

// Undecidable: it looks like C++ without clean-ups.
MEMPROF_SITUATION_BECAUSE(
    no_exceptions_translation_unit, either,
    "-fno-exceptions: the binary does not show that a destructor is skipped") {
  check_afterwards(no_exceptions_lock_is_free);
  call_without_exceptions(interruption);
}

// The remedy: such code without unwind tables is refused.
MEMPROF_SITUATION(no_exceptions_without_tables, must_defer) {
  check_afterwards(no_tables_lock_is_free);
  call_without_tables(interruption);
}

MEMPROF_SITUATION(frame_without_cfi, must_defer) { asm_call_without_cfi(interruption); }
MEMPROF_SITUATION(asm_frame_with_cfi, either) { asm_call_with_cfi(interruption); }

MEMPROF_SITUATION(dynamic_spec_throw_int, must_defer) { spec_throw_int(interruption); }
MEMPROF_SITUATION(dynamic_spec_throw_int_with_cleanup, must_defer) {
  spec_throw_int_with_cleanup(interruption);
}
MEMPROF_SITUATION(dynamic_spec_throw_bad_alloc, must_deliver) {
  spec_throw_bad_alloc(interruption);
}
MEMPROF_SITUATION(dynamic_spec_throw_int_exception, must_deliver) {
  spec_throw_int_exception(interruption);
}
MEMPROF_SITUATION(dynamic_spec_throw_nothing, must_defer) { spec_throw_nothing(interruption); }

}  // namespace
