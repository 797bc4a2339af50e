// SPDX-License-Identifier: MIT
//
// Destructors, on the ordinary way and during unwinding.
#include <memory>
#include <string>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

struct allocating {
  ~allocating() { interruption(); }
};
struct throwing {
  witness here;
  ~throwing() noexcept(false) { interruption(); }
};
struct holds_allocating {
  std::string text = std::string(100, 'x');
  allocating last;
};
struct holds_throwing {
  witness before;
  throwing last;
  witness after;
};
struct virtual_base {
  virtual ~virtual_base() { interruption(); }
};
struct virtual_derived : virtual_base {
  std::string text = std::string(100, 'x');
};

/// Does something in its destructor, whatever it is.
template <class F>
class at_end {
 public:
  explicit at_end(F f) : f_(f) {}
  ~at_end() { f_(); }
  at_end(at_end const&) = delete;
  at_end& operator=(at_end const&) = delete;

 private:
  F f_;
};

[[gnu::noinline]] void raise_int() { throw 1; }

MEMPROF_SITUATION(dtor_implicit_noexcept, must_defer) { allocating const a; }

MEMPROF_SITUATION(dtor_noexcept_false, must_deliver) { throwing const a; }

MEMPROF_SITUATION(dtor_noexcept_false_of_member, must_deliver) { holds_throwing const h; }

MEMPROF_SITUATION(dtor_of_member, must_defer) { holds_allocating const h; }

MEMPROF_SITUATION(dtor_during_unwinding, must_defer) {
  try {
    allocating const a;
    raise_int();
  } catch (int) {
    asm volatile("");
  }
}

MEMPROF_SITUATION(dtor_noexcept_false_during_unwinding, must_defer) {
  try {
    throwing const a;
    raise_int();
  } catch (int) {
    asm volatile("");
  }
}

MEMPROF_SITUATION(dtor_boundary_during_unwinding, must_deliver) {
  try {
    at_end const a{[] { in_boundary([] { interruption(); }); }};
    raise_int();
  } catch (int) {
    asm volatile("");
  }
}

MEMPROF_SITUATION(dtor_local_try_during_unwinding, either) {
  try {
    at_end const a{[] {
      try {
        interruption();
      } catch (...) {
        asm volatile("");
      }
    }};
    raise_int();
  } catch (int) {
    asm volatile("");
  }
}

// The handler is in a frame below the noexcept one, which the interrupt therefore never reaches:
// that a handler always swallows is more than the pre-flight has to know.
MEMPROF_SITUATION(dtor_local_try, either) {
  at_end const a{[] {
    try {
      interruption();
    } catch (...) {
      asm volatile("");
    }
  }};
}

MEMPROF_SITUATION(dtor_via_delete, must_defer) {
  virtual_base* volatile p = new virtual_derived;
  delete p;
}

MEMPROF_SITUATION(dtor_of_array, must_defer) { auto const p = std::make_unique<allocating[]>(3); }

MEMPROF_SITUATION(dtor_after_interrupt_allocates, must_deliver) {
  // The interrupt passes through a destructor that allocates itself.
  at_end const a{[] { allocate(); }};
  interruption();
}

}  // namespace
