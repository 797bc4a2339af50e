// SPDX-License-Identifier: MIT
// Expect: the task must not be a coroutine
#include <coroutine>

#include "memprof/limits.hpp"

struct lazy_answer {
  struct promise_type {
    lazy_answer get_return_object() { return {}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  bool await_ready() { return false; }
};

void coroutine_as_task() {
  using namespace memprof::literals;
#ifdef MEMPROF_VALID
  static_cast<void>(memprof::limit_memory(1_MiB, [] { static_cast<void>(lazy_answer{}); }));
#else
  static_cast<void>(memprof::limit_memory(1_MiB, []() -> lazy_answer { co_return; }));
#endif
}
