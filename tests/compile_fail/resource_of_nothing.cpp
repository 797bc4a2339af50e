// SPDX-License-Identifier: MIT
// Expect: acquire must return the resource
#include "memprof/masking.hpp"

void resource_of_nothing() {
#ifdef MEMPROF_VALID
  memprof::with_resource([] { return 1; }, [](int) {}, [](int) noexcept {});
#else
  memprof::with_resource([] {}, [](int) {}, [](int) noexcept {});
#endif
}
