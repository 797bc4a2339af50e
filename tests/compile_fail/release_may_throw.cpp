// SPDX-License-Identifier: MIT
// Expect: release must be noexcept: it also runs while an interrupt unwinds the scope
#include "memprof/masking.hpp"

void release_may_throw() {
#ifdef MEMPROF_VALID
  memprof::with_resource([] { return 1; }, [](int) {}, [](int) noexcept {});
#else
  memprof::with_resource([] { return 1; }, [](int) {}, [](int) {});
#endif
}
