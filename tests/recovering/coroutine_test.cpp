// SPDX-License-Identifier: MIT
//
// docs/recovering.md: coroutines.
#include <coroutine>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include "recovering/exactly.hpp"
#include "support/catch2.hpp"

namespace recovering {
namespace {

using namespace memprof::literals;

// [generator]
class lines {
 public:
  struct promise_type {
    std::string value;
    lines get_return_object() { return lines(handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(std::string line) {
      value = std::move(line);
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }  // out of resume(), to who asked for the line
  };
  using handle = std::coroutine_handle<promise_type>;

  explicit lines(handle h) : coroutine_(h) {}
  ~lines() { coroutine_.destroy(); }
  lines(lines const&) = delete;
  lines& operator=(lines const&) = delete;

  std::size_t next() {
    coroutine_.resume();
    return coroutine_.promise().value.size();
  }
  bool done() const { return coroutine_.done(); }

 private:
  handle coroutine_;
};

lines ever_longer() {
  for (std::size_t length = 1000;; length *= 10) co_yield std::string(length, 'x');
}
// [/generator]

TEST_CASE("a coroutine is charged to whoever resumes it", "[recovering]") {
  // [resume]
  lines l = ever_longer();
  CHECK(exactly(10_KiB, [&] { return l.next(); })->value == 1000);
  CHECK(exactly(100_KiB, [&] { return l.next(); })->value == 10'000);
  CHECK_FALSE(exactly(10_KiB, [&] { return l.next(); }));
  CHECK(l.done());  // the exception ended it: never resume it again
  // [/resume]
}

}  // namespace
}  // namespace recovering
