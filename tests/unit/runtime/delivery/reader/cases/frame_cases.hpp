// SPDX-License-Identifier: MIT
/// \file
/// Functions in which an interrupt may arrive, for the tests of what it would do there.
#pragma once

#include <cstddef>

namespace frame_cases {

/// Where an interrupt arrives: each case calls it once or more. May throw.
extern void (*volatile arrive)();

struct frame_case {
  char const* name;
  void (*run)();
};

/// A std::span for C++14.
struct frame_list {
  frame_case const* first;
  std::size_t count;
  frame_case const* begin() const { return first; }
  frame_case const* end() const { return first + count; }
};
template <std::size_t n>
frame_list list_of(frame_case const (&cases)[n]) {
  return {cases, n};
}

frame_list noexcept_cases();
frame_list handler_cases();
frame_list rethrow_cases();
frame_list cleanup_cases();
frame_list coroutine_cases();
frame_list specification_cases();  // compiled as C++14

/// Not to be seen through by an optimiser.
bool is_true();
void look_at(void const* object);

/// Has a destructor that is not inlined.
struct guard {
  explicit guard(int n) : n_(n) { look_at(this); }
  guard(guard const&) = delete;
  guard& operator=(guard const&) = delete;
  ~guard();

 private:
  int n_;
};

}  // namespace frame_cases
