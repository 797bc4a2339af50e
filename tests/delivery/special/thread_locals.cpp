// SPDX-License-Identifier: MIT
//
// thread_local variables that other files use: through a function of the compiler's.
#include "special/special.hpp"
#include "support/interrupt.hpp"

namespace {

int from_allocation(int value) {
  memprof::test::allocate();
  return value;
}

}  // namespace

thread_local int number_of_thread = from_allocation(1);
thread_local std::string text_of_thread(100, 'x');
thread_local int last_of_thread = from_allocation(2);
