// SPDX-License-Identifier: MIT
//
// C++17 has no throw(type) any more.
// Flags: -std=c++14 -Wno-deprecated
#include <exception>
#include <new>

#include "special/special.hpp"

namespace {

int volatile alive = 0;

struct counted {
  counted() { alive = alive + 1; }
  ~counted() { alive = alive - 1; }
};

__attribute__((noinline)) void throw_int(void (*f)()) throw(int) { f(); }
__attribute__((noinline)) void throw_bad_alloc(void (*f)()) throw(std::bad_alloc) { f(); }
__attribute__((noinline)) void throw_either(void (*f)()) throw(int, std::exception) { f(); }
__attribute__((noinline)) void throw_nothing(void (*f)()) throw() { f(); }
__attribute__((noinline)) void throw_int_with_cleanup(void (*f)()) throw(int) {
  counted const here;
  f();
}

}  // namespace

void spec_throw_int(void (*f)()) { throw_int(f); }
void spec_throw_bad_alloc(void (*f)()) { throw_bad_alloc(f); }
void spec_throw_int_exception(void (*f)()) { throw_either(f); }
void spec_throw_nothing(void (*f)()) { throw_nothing(f); }
void spec_throw_int_with_cleanup(void (*f)()) { throw_int_with_cleanup(f); }
