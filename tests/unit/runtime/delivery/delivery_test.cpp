// SPDX-License-Identifier: MIT
#include "delivery/delivery.hpp"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <thread>

#include "memprof/interrupted.hpp"

#include "support/catch2.hpp"

using namespace memprof::delivery;

namespace {

using task = std::function<void()>;

/// What the task's attempts are made of, and what came out of the last.
struct {
  attempt ask;
  decision answer;
} now;

/// As a limit function is: not inlined, the task called through a pointer, a handler around it.
[[gnu::noinline]] void with_boundary(task const& f) {
  now = {};
  now.ask.boundary = __builtin_frame_address(0);
  try {
    f();
  } catch (memprof::limit_exceeded const&) {
    now.answer.reason = "it was thrown";
  }
}

[[gnu::noinline]] void ask() {
  if (now.ask.origin == nullptr) now.ask.origin = __builtin_frame_address(0);
  now.answer = decide(now.ask);
  if (now.answer.frames == 4711) memprof::delivery::raise(memprof::limit_kind::memory);
}

bool says(char const* text) {
  return now.answer.reason != nullptr && std::strstr(now.answer.reason, text) != nullptr;
}

struct asks_when_destroyed {
  ~asks_when_destroyed() { ask(); }
};

[[gnu::noinline]] void ask_noexcept() noexcept { ask(); }

int compare(void const*, void const*) {
  ask();
  return 0;
}

const bool prepared = (enter_limit_function(reinterpret_cast<void const*>(&with_boundary)), true);

}  // namespace

TEST_CASE("delivery: allowed where nothing is in the way") {
  REQUIRE(prepared);
  with_boundary([] { ask(); });
  CHECK(now.answer.deliver());
  CHECK(now.answer.frames > 2);
  with_boundary([] {
    std::string cleanup(100, 'x');
    ask();
  });
  CHECK(now.answer.deliver());
}

TEST_CASE("delivery: the same answer when it is known already") {
  for (int i = 0; i < 3; ++i) {
    with_boundary([] { ask(); });
    CHECK(now.answer.deliver());
    with_boundary([] { ask_noexcept(); });
    CHECK(says("noexcept"));
  }
}

TEST_CASE("delivery: not in a masked region") {
  with_boundary([] {
    now.ask.masked = true;
    ask();
  });
  CHECK(says("masked"));
  CHECK(now.answer.place == 0);
}

TEST_CASE("delivery: not while an exception is in flight that was not when the scope began") {
  const auto unwind = [](int uncaught_at_entry) {
    with_boundary([=] {
      now.ask.uncaught_at_entry = uncaught_at_entry;
      try {
        asks_when_destroyed a;
        throw 1;
      } catch (int) {
      }
    });
  };
  unwind(0);
  CHECK(says("in flight"));
  unwind(1);  // the scope itself began during unwinding: now the destructor is the reason
  CHECK(says("destructor"));
}

TEST_CASE("delivery: not under noexcept, with the place") {
  with_boundary([] { ask_noexcept(); });
  REQUIRE(says("noexcept"));
  const auto begin = reinterpret_cast<std::uintptr_t>(&ask_noexcept);
  CHECK(now.answer.place >= begin);
  CHECK(now.answer.place < begin + 200);
  with_boundary([] { asks_when_destroyed a; });
  CHECK(says("destructor"));
}

TEST_CASE("delivery: not through a C function") {
  with_boundary([] {
    int numbers[3] = {3, 2, 1};
    std::qsort(numbers, 3, sizeof(int), compare);
  });
  CHECK(says("C function"));
}

TEST_CASE("delivery: handlers, as the attempt says") {
  const auto with_handler = [] {
    try {
      ask();
    } catch (...) {
      now.answer.reason = "swallowed";
    }
  };
  with_boundary(with_handler);
  CHECK(now.answer.deliver());
  with_boundary([&] {
    now.ask.into_handlers = false;
    with_handler();
  });
  CHECK(says("handler"));
  // A handler that passes everything on is none.
  with_boundary([] {
    now.ask.into_handlers = false;
    try {
      ask();
    } catch (...) {
      now.answer.reason = "undone";
      throw;
    }
  });
  CHECK(now.answer.deliver());
}

TEST_CASE("delivery: another thread's limit function is not on this stack") {
  with_boundary([] { std::thread([] { ask(); }).join(); });
  CHECK_FALSE(now.answer.deliver());
}

TEST_CASE("delivery: the boundary has to catch at this place") {
  // Its own frame is noexcept where it calls: what ran there was inlined into it.
  struct boundary_without_handler {
    [[gnu::noinline]] static void run() {
      now = {};
      now.ask.boundary = __builtin_frame_address(0);
      ask();
      now.ask.boundary = nullptr;
    }
  };
  boundary_without_handler::run();
  CHECK_FALSE(now.answer.deliver());
}

TEST_CASE("delivery: frames up to the origin are not in the way") {
  struct raiser {
    [[gnu::noinline]] static void from_here() {
      now.ask.origin = __builtin_frame_address(0);
      ask_noexcept();
      asm volatile("");
    }
  };
  with_boundary([] { raiser::from_here(); });
  CHECK(now.answer.deliver());
}
