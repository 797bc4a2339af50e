// SPDX-License-Identifier: MIT
// Handlers: typed, translating, ending the process, of constructors and functions.
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include <memprof/interrupted.hpp>

#include "frame_cases.hpp"

namespace frame_cases {
namespace {

void bad_alloc() {
  try {
    arrive();
  } catch (std::bad_alloc const& e) {
    look_at(&e);
  }
}

void std_exception() {
  try {
    arrive();
  } catch (std::exception const& e) {
    look_at(e.what());
  }
}

void limit_exceeded_itself() {
  try {
    arrive();
  } catch (memprof::limit_exceeded const& e) {
    look_at(&e);
  }
}

#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcatch-value"
#endif
void by_value() {
  try {
    arrive();
  } catch (std::bad_alloc e) {
    look_at(&e);
  }
}
#ifndef __clang__
#pragma GCC diagnostic pop
#endif

void other_types() {
  try {
    arrive();
  } catch (std::runtime_error const& e) {
    look_at(&e);
  } catch (int n) {
    look_at(&n);
  }
}

struct first {};
struct second {};
struct third {};

void five_types_last_matches() {
  const guard g{1};
  try {
    arrive();
  } catch (first const& e) {
    look_at(&e);
  } catch (second const& e) {
    look_at(&e);
    throw;
  } catch (third const& e) {
    look_at(&e);
    std::abort();
  } catch (std::logic_error const& e) {
    look_at(e.what());
    throw 1;
  } catch (std::bad_alloc const& e) {
    look_at(&e);
    throw;
  }
}

void nine_types() {
  const guard g{1};
  try {
    arrive();
  } catch (first const& e) {
    look_at(&e);
  } catch (second const& e) {
    look_at(&e + 1);
  } catch (third const& e) {
    look_at(&e + 2);
  } catch (int e) {
    look_at(&e);
  } catch (long e) {
    look_at(&e);
    throw 3;
  } catch (short e) {
    look_at(&e);
    throw 2;
  } catch (std::bad_alloc const& e) {
    look_at(&e);
    throw;
  } catch (std::exception const& e) {
    look_at(e.what());
  } catch (...) {
    throw 1;
  }
}

void catch_all() {
  try {
    arrive();
  } catch (...) {
    look_at(nullptr);
  }
}

void translate() {
  const guard g{1};
  try {
    arrive();
  } catch (std::exception const& e) {
    throw std::runtime_error(std::string("translated: ") + e.what());
  }
}

[[noreturn, gnu::noinline]] void fail(char const* why) { throw std::runtime_error(why); }
void translate_by_function() {
  try {
    arrive();
  } catch (std::exception const& e) {
    fail(e.what());
  }
}

void translate_and_swallow() {
  try {
    try {
      arrive();
    } catch (std::bad_alloc const&) {
      throw 17;
    }
  } catch (int n) {
    look_at(&n);
  }
}

void with_nested() {
  const guard g{1};
  try {
    arrive();
  } catch (...) {
    std::throw_with_nested(std::runtime_error("outer"));
  }
}

void stored_and_rethrown() {
  std::exception_ptr stored;
  try {
    arrive();
  } catch (...) {
    stored = std::current_exception();
  }
  if (stored) std::rethrow_exception(stored);
}

void rethrown_inside_by_pointer() {
  try {
    arrive();
  } catch (...) {
    std::rethrow_exception(std::current_exception());
  }
}

void aborts() {
  try {
    arrive();
  } catch (...) {
    std::abort();
  }
}

void terminates() {
  const guard g{1};
  try {
    arrive();
  } catch (std::bad_alloc const&) {
    std::terminate();
  }
}

[[noreturn, gnu::noinline]] void die() { std::terminate(); }
void terminates_in_function() {
  const guard g{1};
  try {
    arrive();
  } catch (std::bad_alloc const&) {
    die();
  }
}

void inside_another_handler() {
  try {
    throw 1;
  } catch (int n) {
    const guard g{n};
    arrive();
  }
}

void inside_another_handler_caught() {
  try {
    throw 1;
  } catch (int n) {
    const guard g{n};
    try {
      arrive();
    } catch (std::bad_alloc const& e) {
      look_at(&e);
    }
  }
}

void inside_another_handler_rethrown() {
  try {
    throw 1;
  } catch (int n) {
    try {
      arrive();
    } catch (std::bad_alloc const& e) {
      look_at(&e);
      throw;
    }
    look_at(&n);
  }
}

struct base {
  explicit base(int n) : g(n) { arrive(); }
  guard g;
};
struct rethrows_by_itself : base {
  rethrows_by_itself() try : base(1), second(2) { look_at(this); } catch (...) {
    look_at(nullptr);
  }
  guard second;
};
void function_try_block_of_constructor() { const rethrows_by_itself r; }

void function_try_block() try {
  const guard g{1};
  arrive();
} catch (std::bad_alloc const& e) {
  look_at(&e);
}

void loop_of_retries() {
  for (int left = 3;; --left) {
    try {
      const guard g{left};
      arrive();
      return;
    } catch (std::bad_alloc const&) {
      if (left == 0) throw;
    }
  }
}

void error_code() {
  const auto f = []() -> int {
    const guard g{1};
    try {
      arrive();
      return 0;
    } catch (std::bad_alloc const&) {
      return 12;
    } catch (...) {
      return 1;
    }
  };
  if (f() != 0) look_at(nullptr);
}

constexpr frame_case cases[] = {
    {"catch std::bad_alloc", bad_alloc},
    {"catch std::exception", std_exception},
    {"catch limit_exceeded", limit_exceeded_itself},
    {"catch std::bad_alloc by value", by_value},
    {"catch other types", other_types},
    {"catch five types, the last matches and rethrows", five_types_last_matches},
    {"catch nine types, the seventh matches and rethrows", nine_types},
    {"catch (...)", catch_all},
    {"translate", translate},
    {"translate in a function that does not return", translate_by_function},
    {"translate into an outer handler", translate_and_swallow},
    {"throw_with_nested", with_nested},
    {"stored, rethrown later", stored_and_rethrown},
    {"rethrown by its pointer", rethrown_inside_by_pointer},
    {"handler calls abort", aborts},
    {"handler calls terminate", terminates},
    {"handler calls a function that calls terminate", terminates_in_function},
    {"inside the handler of another exception", inside_another_handler},
    {"inside the handler of another, caught", inside_another_handler_caught},
    {"inside the handler of another, rethrown", inside_another_handler_rethrown},
    {"function-try-block of a constructor", function_try_block_of_constructor},
    {"function-try-block", function_try_block},
    {"retries, then rethrows", loop_of_retries},
    {"turned into an error code", error_code},
};

}  // namespace

frame_list handler_cases() { return list_of(cases); }

}  // namespace frame_cases
