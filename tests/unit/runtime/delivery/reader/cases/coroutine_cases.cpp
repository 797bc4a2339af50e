// SPDX-License-Identifier: MIT
// Coroutines, by what their promise does with an exception.
#include <coroutine>
#include <exception>
#include <string>

#include "frame_cases.hpp"

namespace frame_cases {
namespace {

enum class on_exception { swallow, rethrow, terminate, store };

template <on_exception policy>
struct task {
  struct promise_type {
    std::exception_ptr stored;
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {
      if constexpr (policy == on_exception::rethrow) throw;
      if constexpr (policy == on_exception::terminate) std::terminate();
      if constexpr (policy == on_exception::store) stored = std::current_exception();
    }
  };
  task(std::coroutine_handle<promise_type> h) : handle(h) {}
  task(task const&) = delete;
  task& operator=(task const&) = delete;
  ~task() { handle.destroy(); }
  std::coroutine_handle<promise_type> handle;
};

template <on_exception policy>
task<policy> body(std::string text) {
  const guard g{1};
  look_at(&text);
  arrive();
  look_at(&g);
  co_await std::suspend_always{};
}

template <on_exception policy>
void run() {
  const task<policy> t = body<policy>("text that is too long for the small buffer");
  t.handle.resume();
  look_at(&t);
}

constexpr frame_case cases[] = {
    {"coroutine: swallows", run<on_exception::swallow>},
    {"coroutine: rethrows", run<on_exception::rethrow>},
    {"coroutine: terminates", run<on_exception::terminate>},
    {"coroutine: stores", run<on_exception::store>},
};

}  // namespace

frame_list coroutine_cases() { return list_of(cases); }

}  // namespace frame_cases
