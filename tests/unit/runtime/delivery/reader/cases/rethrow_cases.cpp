// SPDX-License-Identifier: MIT
// Handlers that rethrow, or might, or let a function do it.
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>

#include "frame_cases.hpp"

namespace frame_cases {
namespace {

void undo_and_rethrow() {
  const guard g{1};
  try {
    arrive();
  } catch (...) {
    look_at(&g);
    throw;
  }
}

void rethrow_under_condition() {
  try {
    arrive();
  } catch (...) {
    if (is_true()) throw;
  }
}

void never_rethrown() {
  try {
    arrive();
  } catch (...) {
    if (!is_true()) throw;
  }
}

void flag_through_a_reference() {
  try {
    arrive();
  } catch (...) {
    bool rethrow = false;
    auto set = [&rethrow] { rethrow = is_true(); };
    const std::function<void()> f = std::ref(set);
    f();
    if (rethrow) throw;
  }
}

void nested_rethrow() {
  const guard a{1};
  try {
    const guard b{2};
    try {
      const guard c{3};
      arrive();
    } catch (...) {
      const guard d{4};
      throw;
    }
  } catch (std::bad_alloc const&) {
    const guard e{5};
    throw;
  }
}

void rethrown_and_swallowed() {
  try {
    try {
      arrive();
    } catch (...) {
      const guard d{4};
      throw;
    }
  } catch (std::exception const& e) {
    look_at(e.what());
  }
}

[[gnu::noinline]] void lippincott() {
  try {
    throw;
  } catch (std::runtime_error const& e) {
    look_at(&e);
  } catch (std::bad_alloc const& e) {
    look_at(&e);
  }
}
void handled_by_function() {
  try {
    arrive();
  } catch (...) {
    lippincott();
  }
}

[[gnu::noinline]] void lippincott_lets_out() {
  try {
    throw;
  } catch (std::runtime_error const& e) {
    look_at(&e);
  }
}
void passed_on_by_function() {
  try {
    arrive();
  } catch (...) {
    lippincott_lets_out();
  }
}
void passed_on_by_function_under_noexcept() noexcept {
  try {
    arrive();
  } catch (...) {
    lippincott_lets_out();
  }
}

[[noreturn, gnu::noinline]] void rethrow_by_function() { throw; }
void rethrown_by_function() {
  const guard g{1};
  try {
    arrive();
  } catch (...) {
    rethrow_by_function();
  }
}

constexpr frame_case cases[] = {
    {"catch (...) and rethrow", undo_and_rethrow},
    {"rethrow under a condition", rethrow_under_condition},
    {"rethrow under a condition that is never met", never_rethrown},
    {"rethrow depends on a flag set through a reference", flag_through_a_reference},
    {"nested rethrow", nested_rethrow},
    {"rethrow into an outer handler", rethrown_and_swallowed},
    {"handled in a function", handled_by_function},
    {"a function looks and lets it out", passed_on_by_function},
    {"a function looks and lets it out, noexcept", passed_on_by_function_under_noexcept},
    {"rethrown in a function", rethrown_by_function},
};

}  // namespace

frame_list rethrow_cases() { return list_of(cases); }

}  // namespace frame_cases
