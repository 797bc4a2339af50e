// SPDX-License-Identifier: MIT
// Expect: deleted
#include <type_traits>
#include <utility>

#include "memprof/fiber.hpp"

void copied_task() {
  memprof::task t{memprof::limits{}, [] {}};
#ifdef MEMPROF_VALID
  memprof::task other{std::move(t)};
#else
  auto other{t};
#endif
  other.resume();
}
