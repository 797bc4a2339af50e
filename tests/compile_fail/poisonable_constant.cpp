// SPDX-License-Identifier: MIT
// Expect: a poisonable holds an object that tasks change: no reference, no constant
#include "memprof/poisonable.hpp"

void poisonable_constant() {
#ifdef MEMPROF_VALID
  memprof::poisonable<int> shared{1};
#else
  memprof::poisonable<int const> shared{1};
#endif
  shared.poison();
}
