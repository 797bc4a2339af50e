// SPDX-License-Identifier: MIT
// Exception specifications as they were until C++17.
#include <new>

#include "frame_cases.hpp"

namespace frame_cases {
namespace {

void nothing() throw() {
  const guard g{1};
  arrive();
  look_at(&g);
}

void int_only() throw(int) {
  const guard g{1};
  arrive();
  look_at(&g);
}

void bad_alloc() throw(std::bad_alloc) {
  const guard g{1};
  arrive();
  look_at(&g);
}

void bad_alloc_among_others() throw(int, std::bad_alloc, long) {
  const guard g{1};
  arrive();
  look_at(&g);
}

void int_with_try() throw(int) {
  const guard g{1};
  try {
    arrive();
  } catch (long n) {
    look_at(&n);
  }
}

constexpr frame_case cases[] = {
    {"throw()", nothing},
    {"throw(int)", int_only},
    {"throw(std::bad_alloc)", bad_alloc},
    {"throw(int, std::bad_alloc, long)", bad_alloc_among_others},
    {"throw(int), try, catch (long)", int_with_try},
};

}  // namespace

frame_list specification_cases() { return list_of(cases); }

}  // namespace frame_cases
