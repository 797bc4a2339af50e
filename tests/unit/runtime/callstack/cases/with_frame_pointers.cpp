// SPDX-License-Identifier: MIT
#include "unit/runtime/callstack/cases/shapes.hpp"

namespace memprof::test {

void cases_with_frame_pointers(called f) { all_shapes(f); }

[[gnu::noinline]] void chain_of_frame_pointers(int n, called f) {
  if (n <= 1) {
    f();
  } else {
    chain_of_frame_pointers(n - 1, f);
  }
  asm volatile("");  // no tail calls
}

}  // namespace memprof::test
