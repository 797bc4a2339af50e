// SPDX-License-Identifier: MIT
// Expect g++: cannot convert '64000000' (type 'int') to type 'memprof::v0::bytes'
// Expect clang: no matching function for call to 'limit_memory'
#include "memprof/limits.hpp"

void limit_from_number() {
#ifdef MEMPROF_VALID
  static_cast<void>(memprof::limit_memory(memprof::bytes{64'000'000}, [] {}));
#else
  static_cast<void>(memprof::limit_memory(64'000'000, [] {}));
#endif
}
