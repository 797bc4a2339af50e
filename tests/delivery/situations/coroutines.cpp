// SPDX-License-Identifier: MIT
//
// Coroutines: what their promise does with an exception.
#include <coroutine>
#include <exception>
#include <string>
#include <utility>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

struct swallows {
  void unhandled_exception() noexcept {}
  void result() const noexcept {}
};
struct rethrows {
  void unhandled_exception() { throw; }
  void result() const noexcept {}
};
struct stores {
  void unhandled_exception() noexcept { stored = std::current_exception(); }
  void result() const {
    if (stored) std::rethrow_exception(stored);
  }
  std::exception_ptr stored;
};
struct terminates {
  void unhandled_exception() noexcept { std::terminate(); }
  void result() const noexcept {}
};

/// Runs when it is resumed, once.
template <class Policy>
class lazy {
 public:
  struct promise_type : Policy {
    lazy get_return_object() {
      return lazy(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    std::suspend_always yield_value(int) const noexcept { return {}; }
  };
  explicit lazy(std::coroutine_handle<promise_type> h) : handle_(h) {}
  lazy(lazy&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  lazy& operator=(lazy&&) = delete;
  ~lazy() {
    if (handle_) handle_.destroy();
  }
  void resume() const { handle_.resume(); }
  void get() const { handle_.promise().result(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

template <class Policy>
lazy<Policy> interrupted_coroutine() {
  std::string const text(100, 'x');
  witness const here;
  interruption();
  co_return;
}

template <class Policy>
lazy<Policy> interrupted_after_yield() {
  witness const here;
  co_yield 1;
  std::string const text(100, 'x');
  interruption();
}

// Not inlined: clang would need no frame.
[[gnu::noinline]] lazy<rethrows> empty_coroutine(std::string text) {
  co_yield static_cast<int>(text.size());
}

template <class Policy>
void run() {
  auto const c = interrupted_coroutine<Policy>();
  c.resume();
  c.get();
}

MEMPROF_SITUATION(coroutine_unhandled_exception_swallows, must_deliver) { run<swallows>(); }
MEMPROF_SITUATION(coroutine_unhandled_exception_rethrows, must_deliver) { run<rethrows>(); }
MEMPROF_SITUATION(coroutine_unhandled_exception_stores, must_deliver) { run<stores>(); }
MEMPROF_SITUATION(coroutine_unhandled_exception_terminates, must_defer) { run<terminates>(); }

MEMPROF_SITUATION(coroutine_after_yield, must_deliver) {
  auto const c = interrupted_after_yield<rethrows>();
  c.resume();
  c.resume();
}

MEMPROF_SITUATION(coroutine_resumed_by_noexcept, must_defer) {
  auto const f = []() noexcept { run<rethrows>(); };
  f();
}

MEMPROF_SITUATION(coroutine_frame_allocation, must_deliver) {
  std::string const text(100, 'x');
  interrupt_next(2);  // the argument, then the frame
  auto const c = empty_coroutine(text);
  c.resume();
}

}  // namespace
