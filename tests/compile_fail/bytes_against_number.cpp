// SPDX-License-Identifier: MIT
// Expect g++: no match for 'operator>' (operand types are 'memprof::v0::bytes' and 'int')
// Expect clang: invalid operands to binary expression ('bytes' and 'int')
#include "memprof/units.hpp"

void bytes_against_number() {
  using namespace memprof::literals;
#ifdef MEMPROF_VALID
  static_assert(64_MiB > 64_B);
#else
  static_assert(64_MiB > 64);  // of what?
#endif
}
