// SPDX-License-Identifier: MIT
// Expect: constraints not satisfied
#include <string>

#include "memprof/poisonable.hpp"

void poisonable_of_wrong_arguments() {
#ifdef MEMPROF_VALID
  memprof::poisonable<std::string> shared{"text"};
#else
  memprof::poisonable<std::string> shared{"text", "text", "text"};
#endif
  shared.poison();
}
