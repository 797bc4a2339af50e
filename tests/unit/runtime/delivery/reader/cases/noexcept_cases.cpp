// SPDX-License-Identifier: MIT
// noexcept in all its disguises.
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "frame_cases.hpp"

#ifdef __clang__
#pragma GCC diagnostic ignored "-Wexceptions"
#else
#pragma GCC diagnostic ignored "-Wterminate"
#endif

namespace frame_cases {
namespace {

void plain() noexcept { arrive(); }

void with_cleanups() noexcept {
  const guard a{1};
  const guard b{2};
  arrive();
}

void with_catch_of_int() noexcept {
  try {
    arrive();
  } catch (int n) {
    look_at(&n);
  }
}

void with_catch_of_int_and_cleanups() noexcept {
  const guard a{1};
  try {
    const guard b{2};
    arrive();
    look_at(&b);
  } catch (int n) {
    look_at(&n);
  }
}

void nested_tries() noexcept {
  try {
    const guard a{1};
    try {
      const guard b{2};
      arrive();
    } catch (int n) {
      look_at(&n);
    }
    look_at(&a);
  } catch (long n) {
    look_at(&n);
  }
}

void with_catch_all() noexcept {
  try {
    arrive();
  } catch (...) {
    look_at(nullptr);
  }
}

void with_rethrow() noexcept {
  try {
    arrive();
  } catch (...) {
    look_at(nullptr);
    throw;
  }
}

void with_conditional_rethrow() noexcept {
  try {
    arrive();
  } catch (std::bad_alloc const& e) {
    look_at(&e);
    if (is_true()) throw;
  }
}

void translating() noexcept {
  try {
    arrive();
  } catch (std::bad_alloc const&) {
    throw 1;
  }
}

void translating_and_catching() noexcept {
  try {
    try {
      arrive();
    } catch (std::bad_alloc const&) {
      throw 1;
    }
  } catch (int n) {
    look_at(&n);
  }
}

void translating_and_missing() noexcept {
  const guard a{1};
  try {
    try {
      arrive();
    } catch (std::bad_alloc const&) {
      const guard b{1};
      throw 1;
    }
  } catch (long n) {
    look_at(&n);
  }
}

inline void inlined_noexcept() noexcept {
  arrive();
  look_at(nullptr);
}
void inlined_into_plain() {
  const guard a{1};
  inlined_noexcept();
  look_at(&a);
}

inline void inlined_plain(int n) {
  const guard a{n};
  arrive();
  look_at(&a);
}
void plain_inlined() noexcept {
  inlined_plain(1);
  inlined_plain(2);
}

void lambda() {
  const guard a{1};
  auto f = [&]() noexcept {
    const guard b{2};
    arrive();
    look_at(&a);
  };
  f();
  look_at(&f);
}

struct inner_noexcept_destructor {
  ~inner_noexcept_destructor() {
    const guard a{1};
    arrive();
  }
};
void destructor() {
  const inner_noexcept_destructor d;
  look_at(&d);
}

struct throwing_destructor {
  ~throwing_destructor() noexcept(false) {
    const guard a{1};
    arrive();
  }
};
void destructor_may_throw() {
  const throwing_destructor d;
  look_at(&d);
}

struct moves {
  moves() = default;
  moves(moves&& other) noexcept : text(std::move(other.text)) { arrive(); }
  std::string text = "text that is too long for the small buffer";
};
void move_constructor() {
  std::vector<moves> v(1);
  v.emplace_back();
}

void joinable_thread() {
  std::thread t{[] {}};
  arrive();
  t.join();
}

void joined_thread() {
  std::thread t{[] {}};
  t.join();
  arrive();
  look_at(&t);
}

void thread_in_a_member() {
  struct owner {
    std::unique_ptr<std::thread> t = std::make_unique<std::thread>([] {});
    ~owner() { look_at(this); }
  };
  const owner o;
  arrive();
  o.t->join();
}

constexpr frame_case cases[] = {
    {"noexcept: plain", plain},
    {"noexcept: with cleanups", with_cleanups},
    {"noexcept: try, catch (int)", with_catch_of_int},
    {"noexcept: try, catch (int), cleanups", with_catch_of_int_and_cleanups},
    {"noexcept: nested tries", nested_tries},
    {"noexcept: catch (...)", with_catch_all},
    {"noexcept: catch (...) and rethrow", with_rethrow},
    {"noexcept: conditional rethrow", with_conditional_rethrow},
    {"noexcept: throws something else", translating},
    {"noexcept: throws something else and catches it", translating_and_catching},
    {"noexcept: throws something else, catches another", translating_and_missing},
    {"noexcept: inlined into a plain function", inlined_into_plain},
    {"noexcept: a plain function inlined", plain_inlined},
    {"noexcept: lambda", lambda},
    {"noexcept: destructor", destructor},
    {"noexcept(false): destructor", destructor_may_throw},
    {"noexcept: move constructor in a vector", move_constructor},
    {"std::thread, joinable", joinable_thread},
    {"std::thread, joined", joined_thread},
    {"std::thread behind a pointer", thread_in_a_member},
};

}  // namespace

frame_list noexcept_cases() { return list_of(cases); }

}  // namespace frame_cases
