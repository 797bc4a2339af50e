// SPDX-License-Identifier: MIT
//
// Frames that just let the interrupt pass, in all the shapes a compiler gives them.
#include <alloca.h>
#include <array>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <string>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

[[gnu::noinline]] void recurse(int depth) {
  witness const here;
  if (depth == 0) {
    interruption();
  } else {
    recurse(depth - 1);
  }
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] int without_cleanup(int depth) {
  if (depth == 0) {
    interruption();
    return 1;
  }
  return without_cleanup(depth - 1) + 1;
}

struct first_base {
  virtual ~first_base() = default;
  long padding = 0;
};
struct second_base {
  virtual ~second_base() = default;
  virtual void work() = 0;
};
struct both : first_base, second_base {
  void work() override {
    witness const here;
    interruption();
  }
};

struct member {
  witness here;
  explicit member(bool last) {
    if (last) interruption();
  }
};
struct chain_base {
  member a{false};
};
struct chain : chain_base {
  member b{false};
  member c{true};
};
struct virtual_chain : virtual chain_base {
  member b{true};
};

struct element {
  witness here;
  std::string text = std::string(100, 'x');
};

[[gnu::noinline]] void with_alloca(std::size_t size) {
  witness const here;
  auto* const bytes = static_cast<char*>(alloca(size));
  std::memset(bytes, 1, size);
  interruption();
  asm volatile("" ::"r"(bytes) : "memory");
}

[[gnu::noinline]] void with_realigned_stack(std::size_t size) {
  alignas(128) char aligned[256];
  witness const here;
  auto* const bytes = static_cast<char*>(alloca(size));
  asm volatile("" ::"r"(aligned), "r"(bytes) : "memory");
  interruption();
  asm volatile("" ::"r"(aligned), "r"(bytes) : "memory");
}

[[gnu::noinline]] void with_big_frame() {
  char big[100'000];
  witness const here;
  asm volatile("" ::"r"(big) : "memory");
  interruption();
  asm volatile("" ::"r"(big) : "memory");
}

[[gnu::noinline]] int variadic(int n, ...) {
  std::va_list rest;
  va_start(rest, n);
  witness const here;
  interruption();
  int const sum = va_arg(rest, int) + va_arg(rest, int);
  va_end(rest);
  return sum;
}

/// More destructors than a reader of landing pads may want to keep in mind.
template <int N>
struct many {
  std::unique_ptr<int> pointer;
  std::string text;
  many<N - 1> rest;
  witness here;
};
template <>
struct many<0> {};

MEMPROF_SITUATION(plain_cleanups, must_deliver) {
  witness const a;
  std::string const s(100, 'x');
  interruption();
}
MEMPROF_SITUATION(plain_recursion_60, must_deliver) { recurse(60); }
MEMPROF_SITUATION(plain_no_cleanup_frames, must_deliver) { without_cleanup(5); }
MEMPROF_SITUATION(plain_virtual_thunk, must_deliver) {
  both object;
  second_base* volatile through_thunk = &object;
  through_thunk->work();
}
MEMPROF_SITUATION(plain_constructor_chain, must_deliver) { chain const c; }
MEMPROF_SITUATION(plain_virtual_base, must_deliver) { virtual_chain const c; }
MEMPROF_SITUATION(plain_array_new, must_deliver) {
  interrupt_next(5);  // the array, then the string of its fourth element
  auto const array = std::make_unique<element[]>(10);
}
MEMPROF_SITUATION(plain_array_member, must_deliver) {
  interrupt_next(3);
  std::array<element, 5> const array;
}
MEMPROF_SITUATION(plain_alloca, must_deliver) { with_alloca(300); }
MEMPROF_SITUATION(plain_realigned_stack, must_deliver) { with_realigned_stack(300); }
MEMPROF_SITUATION(plain_big_frame, must_deliver) { with_big_frame(); }
MEMPROF_SITUATION(plain_variadic, must_deliver) { variadic(2, 3, 4); }
MEMPROF_SITUATION(plain_many_cleanups, must_deliver) {
  many<100> m;
  std::string a(50, 'a');
  std::string b(50, 'b');
  std::string c = a + b;
  interruption();
}

}  // namespace
