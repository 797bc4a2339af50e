// SPDX-License-Identifier: MIT
//
// noexcept: with and without what hides it from the exception tables.
#include <utility>
#include <vector>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

[[gnu::noinline]] void may_throw_int(bool yes) {
  if (yes) throw 1;
  asm volatile("");
}

[[gnu::noinline]] void plain_function() noexcept { interruption(); }

[[gnu::noinline]] void with_cleanups() noexcept {
  witness const a;
  witness const b;
  interruption();
}

[[gnu::noinline]] void with_try_catch_int() noexcept {
  try {
    interruption();
  } catch (int) {
    allocate();
  }
}

[[gnu::noinline]] void with_try_catch_int_and_cleanups() noexcept {
  witness const a;
  try {
    witness const b;
    interruption();
  } catch (int) {
    allocate();
  }
}

[[gnu::noinline]] void with_nested_tries() noexcept {
  witness const a;
  try {
    witness const b;
    try {
      interruption();
      may_throw_int(false);
    } catch (char) {
      allocate();
    }
  } catch (int) {
    allocate();
  }
}

[[gnu::noinline]] void with_catch_all_inside() noexcept {
  try {
    interruption();
  } catch (...) {
    asm volatile("");
  }
}

[[gnu::noinline]] void with_catch_rethrow_inside() noexcept {
  try {
    interruption();
  } catch (...) {
    asm volatile("");
    throw;
  }
}

inline void small_noexcept() noexcept { interruption(); }

inline void small_with_cleanups() {
  witness const a;
  interruption();
}

[[gnu::noinline]] void around_a_small_one() noexcept { small_with_cleanups(); }

struct moves_by_allocating {
  moves_by_allocating() = default;
  moves_by_allocating(moves_by_allocating&&) noexcept { interruption(); }
  moves_by_allocating& operator=(moves_by_allocating&&) = default;
};

struct base {
  virtual ~base() = default;
  virtual void work() noexcept = 0;
};
struct derived : base {
  void work() noexcept override { interruption(); }
};

MEMPROF_SITUATION(noexcept_function, must_defer) { plain_function(); }
MEMPROF_SITUATION(noexcept_with_cleanups, must_defer) { with_cleanups(); }
MEMPROF_SITUATION(noexcept_with_try_catch_int, must_defer) { with_try_catch_int(); }
MEMPROF_SITUATION(noexcept_with_try_catch_int_and_cleanups, must_defer) {
  with_try_catch_int_and_cleanups();
}
MEMPROF_SITUATION(noexcept_nested_tries, must_defer) { with_nested_tries(); }
MEMPROF_SITUATION(noexcept_with_catch_all_inside, must_deliver) { with_catch_all_inside(); }
MEMPROF_SITUATION(noexcept_with_catch_rethrow_inside, must_defer) { with_catch_rethrow_inside(); }

MEMPROF_SITUATION(noexcept_inlined_into_plain, must_defer) {
  witness const a;
  small_noexcept();
}

MEMPROF_SITUATION(plain_inlined_into_noexcept, must_defer) { around_a_small_one(); }

MEMPROF_SITUATION(noexcept_lambda, must_defer) {
  auto const f = []() noexcept { interruption(); };
  f();
}

MEMPROF_SITUATION(noexcept_pointer, must_defer) {
  void (*volatile f)() noexcept = plain_function;
  f();
}

MEMPROF_SITUATION(noexcept_virtual, must_defer) {
  derived d;
  base* volatile b = &d;
  b->work();
}

MEMPROF_SITUATION(boundary_inside_noexcept, must_deliver) {
  auto const f = []() noexcept { in_boundary([] { interruption(); }); };
  f();
}

MEMPROF_SITUATION(noexcept_move_constructor, must_defer) {
  moves_by_allocating a;
  moves_by_allocating const b = std::move(a);
  static_cast<void>(b);
}

MEMPROF_SITUATION(vector_realloc_noexcept_move, must_defer) {
  std::vector<moves_by_allocating> v(1);
  v.emplace_back();
}

}  // namespace
