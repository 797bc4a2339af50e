// SPDX-License-Identifier: MIT
// Expect g++: from 'memprof::v0::bytes' to non-scalar type 'const memprof::v0::words' requested
// Expect clang: no viable conversion from 'bytes' to 'const memprof::words'
#include "memprof/units.hpp"

void words_from_bytes() {
  using namespace memprof::literals;
#ifdef MEMPROF_VALID
  memprof::words const w = memprof::ceil_to_words(100_B);
#else
  memprof::words const w = 100_B;  // 12 or 13?
#endif
  static_cast<void>(w);
}
