// SPDX-License-Identifier: MIT
//
// Allocations in handlers, and while exceptions are made, copied and destroyed.
#include <exception>
#include <stdexcept>
#include <string>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

[[gnu::noinline]] void raise_int() { throw 1; }

MEMPROF_SITUATION(alloc_inside_handler, must_deliver) {
  try {
    raise_int();
  } catch (int) {
    witness const a;
    interruption();
  }
}

MEMPROF_SITUATION(alloc_inside_catch_all_handler, must_deliver) {
  try {
    raise_int();
  } catch (...) {
    witness const a;
    interruption();
  }
}

MEMPROF_SITUATION(alloc_after_handler, must_deliver) {
  try {
    raise_int();
  } catch (...) {
    allocate();
  }
  interruption();
}

struct with_text {
  explicit with_text(std::string t) : text(std::move(t)) {}
  std::string text;
  witness here;
};

MEMPROF_SITUATION(alloc_in_throw_expression, must_deliver) {
  interrupt_next();
  try {
    throw with_text(std::string(100, 'x'));
  } catch (with_text const&) {
    allocate();
  }
}

struct copies_by_allocating {
  copies_by_allocating() = default;
  copies_by_allocating(copies_by_allocating const&) { interruption(); }
  copies_by_allocating& operator=(copies_by_allocating const&) = default;
  int value = 0;
};

[[gnu::noinline]] void raise_it(copies_by_allocating const* e) {
  if (e != nullptr) throw *e;
}

MEMPROF_SITUATION(alloc_in_copy_of_thrown_object, must_deliver) {
  copies_by_allocating const e;
  raise_it(&e);
}

struct counts_copies {
  counts_copies() = default;
  counts_copies(counts_copies const&) { interruption(); }
  counts_copies& operator=(counts_copies const&) = default;
};

MEMPROF_SITUATION(alloc_in_catch_by_value_copy, must_defer) {
  try {
    throw counts_copies();
  } catch (counts_copies c) {  // NOLINT: by value is the case
    allocate();
  }
}

struct allocates_at_its_end {
  ~allocates_at_its_end() { interruption(); }
};

MEMPROF_SITUATION(exception_object_destructor, must_defer) {
  try {
    throw allocates_at_its_end();
  } catch (allocates_at_its_end const&) {
    asm volatile("");
  }
}

class tries_its_members {
 public:
  tries_its_members() try : text_(allocated()) {
  } catch (...) {
    allocate();
  }

 private:
  static int allocated() {
    interruption();
    return 1;
  }
  witness here_;
  int text_;
};

MEMPROF_SITUATION(constructor_function_try_block, must_deliver) { tries_its_members const t; }

MEMPROF_SITUATION(what_of_nested_exception, must_deliver) {
  try {
    try {
      throw std::runtime_error("inner");
    } catch (...) {
      std::throw_with_nested(std::logic_error("outer"));
    }
  } catch (std::exception const& e) {
    try {
      std::rethrow_if_nested(e);
    } catch (std::runtime_error const&) {
      witness const a;
      interruption();
    }
  }
}

MEMPROF_SITUATION(alloc_while_rethrown_ptr_is_held, must_deliver) {
  std::exception_ptr held;
  try {
    raise_int();
  } catch (...) {
    held = std::current_exception();
  }
  interruption();
}

}  // namespace
