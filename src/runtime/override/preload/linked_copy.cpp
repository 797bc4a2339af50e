// SPDX-License-Identifier: MIT
// Takes note of the copy of memprof that the program is linked with: see override/own_code.hpp.
#include "callstack/callstack.hpp"

extern "C" [[gnu::visibility("default")]] void memprof_preload_leave_out(void const* begin,
                                                                         void const* end) noexcept {
  memprof::callstack::leave_out(begin, end);
}
