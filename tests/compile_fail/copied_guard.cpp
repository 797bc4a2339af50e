// SPDX-License-Identifier: MIT
// Expect: deleted
#include <utility>

#include "memprof/poisonable.hpp"

void copied_guard() {
  memprof::poisonable<int> shared{1};
  auto guard = shared.lock();
#ifdef MEMPROF_VALID
  auto again = std::move(guard);
#else
  auto again = guard;  // the mutex locked once, unlocked twice
#endif
  again.unlock();
}
