// SPDX-License-Identifier: MIT
//
// Boost.Context: the way up ends at the base of the fiber's stack.
#include <boost/context/fiber.hpp>
#include <string>
#include <utility>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;
using boost::context::fiber;

MEMPROF_SITUATION(fiber_boundary_on_other_stack, must_defer) {
  may_leave_blocks();
  fiber f([](fiber&& back) {
    interruption();
    return std::move(back);
  });
  f = std::move(f).resume();
}

MEMPROF_SITUATION(fiber_with_own_boundary, must_deliver) {
  fiber f([](fiber&& back) {
    in_boundary([] { interruption(); });
    return std::move(back);
  });
  f = std::move(f).resume();
}

MEMPROF_SITUATION(fiber_switched_in_between, must_deliver) {
  fiber f([](fiber&& back) {
    in_boundary([&back] {
      std::string const text(100, 'x');
      back = std::move(back).resume();
      interruption();
    });
    return std::move(back);
  });
  f = std::move(f).resume();
  f = std::move(f).resume();
}

// The interrupt begins in a function that runs on the fiber's stack on behalf of who resumes it.
MEMPROF_SITUATION(fiber_resume_with, either) {
  fiber* way_back = nullptr;
  fiber f([&way_back](fiber&& back) {
    way_back = &back;
    in_boundary([&back] {
      witness const here;
      back = std::move(back).resume();
    });
    return std::move(back);
  });
  f = std::move(f).resume();
  f = std::move(f).resume_with([&way_back](fiber&& back) {
    *way_back = std::move(back);
    interruption();
    return fiber();
  });
}

MEMPROF_SITUATION(fiber_of_a_fiber, must_defer) {
  may_leave_blocks();
  fiber f([](fiber&& back) {
    in_boundary([] {
      fiber inner([](fiber&& outer) {
        interruption();
        return std::move(outer);
      });
      inner = std::move(inner).resume();
    });
    return std::move(back);
  });
  f = std::move(f).resume();
}

struct allocating {
  ~allocating() { interruption(); }
};

// A suspended fiber is destroyed by an exception of Boost's: a destructor on its stack.
MEMPROF_SITUATION(fiber_destroyed_while_suspended, must_defer) {
  may_leave_blocks();
  fiber f([](fiber&& back) {
    allocating const a;
    back = std::move(back).resume();
    return std::move(back);
  });
  f = std::move(f).resume();
  f = fiber();
}

}  // namespace
