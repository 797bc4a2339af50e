// SPDX-License-Identifier: MIT
// Expect: deleted
#include "memprof/limits.hpp"

void copied_budget() {
  memprof::budget b{memprof::limits{}};
#ifdef MEMPROF_VALID
  memprof::budget& other = b;
#else
  memprof::budget other = b;  // one account, or two?
#endif
  static_cast<void>(other.run([] {}));
}
