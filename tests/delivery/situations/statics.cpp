// SPDX-License-Identifier: MIT
//
// Variables that are initialised when they are needed.
#include <string>

#include "special/special.hpp"
#include "support/situation.hpp"

namespace {

using namespace memprof::test;

int from_allocation(int value) {
  allocate();
  return value;
}

int static_value() {
  static int const value = from_allocation(42);
  return value;
}

MEMPROF_SITUATION(static_local_init, must_deliver) {
  // The guard is taken back: the next one initialises it.
  check_afterwards([] { return static_value() == 42; });
  interrupt_next();
  static_value();
}

// The guard of all thread_locals of a file is set first, so that those behind the interrupted one
// stay zero for good.
MEMPROF_SITUATION(thread_local_dynamic_init, must_defer) {
  check_afterwards([] { return number_of_thread == 1 && last_of_thread == 2; });
  interrupt_next();
  number_of_thread += 0;
}

MEMPROF_SITUATION(thread_local_string, must_defer) {
  check_afterwards([] { return text_of_thread.size() == 100 && last_of_thread == 2; });
  interrupt_next(2);
  asm volatile("" ::"r"(text_of_thread.data()));
}

thread_local int first_here = from_allocation(1);
thread_local int second_here = from_allocation(2);

// The remedy is thread_local_in_function, or to leave them to another file.
MEMPROF_SITUATION_BECAUSE(thread_local_of_the_same_file, must_defer,
                          "the initialiser of thread_locals of the same file may be inlined") {
  check_afterwards([] { return first_here == 1 && second_here == 2; });
  interrupt_next();
  first_here += 0;
}

int in_function() {
  thread_local int const value = from_allocation(7);
  return value;
}

// The remedy for thread_locals at namespace scope: in a function each has a guard of its own, which
// is set when it is initialised.
MEMPROF_SITUATION(thread_local_in_function, must_deliver) {
  check_afterwards([] { return in_function() == 7; });
  interrupt_next();
  in_function();
}

struct with_static {
  static std::string const& text() {
    static std::string const value = std::string(100, 'x') + std::string(100, 'y');
    return value;
  }
};

MEMPROF_SITUATION(static_local_string, must_deliver) {
  may_leave_blocks();
  check_afterwards([] { return with_static::text().size() == 200; });
  interrupt_next(2);
  with_static::text();
}

int noexcept_static() noexcept {
  static int const value = from_allocation(3);
  return value;
}

MEMPROF_SITUATION(static_local_in_noexcept, must_defer) {
  interrupt_next();
  noexcept_static();
}

}  // namespace
