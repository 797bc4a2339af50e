// SPDX-License-Identifier: MIT
//
// Futures keep what is thrown, and throw it at whoever asks.
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

MEMPROF_SITUATION(async_deferred, either) {
  auto f = std::async(std::launch::deferred, [] { interruption(); });
  f.get();
}

MEMPROF_SITUATION(async_thread_body, must_defer) {
  auto f = std::async(std::launch::async, [] { interruption(); });
  f.get();
}

MEMPROF_SITUATION(async_thread_body_with_boundary, must_deliver) {
  may_leave_blocks();  // the thread gives back its own after get() has returned
  auto f = std::async(std::launch::async, [] { in_boundary([] { interruption(); }); });
  f.get();
}

MEMPROF_SITUATION(async_start, either) {
  interrupt_next();
  auto f = std::async(std::launch::async, [] {});
  f.get();
}

MEMPROF_SITUATION(packaged_task_stores, either) {
  std::packaged_task<void()> task([] { interruption(); });
  auto f = task.get_future();
  task();
  f.get();
}

MEMPROF_SITUATION(packaged_task_never_asked, either) {
  std::packaged_task<void()> task([] { interruption(); });
  task();
}

MEMPROF_SITUATION(promise_set_value, must_deliver) {
  std::promise<std::string> promise;
  auto f = promise.get_future();
  std::string const text(100, 'x');
  interrupt_next();
  promise.set_value(text);
}

MEMPROF_SITUATION(promise_constructor, must_deliver) {
  interrupt_next(2);
  std::promise<std::string> const promise;
}

MEMPROF_SITUATION(promise_set_exception, must_deliver) {
  std::promise<int> promise;
  auto f = promise.get_future();
  try {
    interruption();
    promise.set_value(1);
  } catch (...) {
    promise.set_exception(std::current_exception());
  }
  f.get();
}

MEMPROF_SITUATION(shared_future_get_copies, must_deliver) {
  std::promise<std::string> promise;
  auto const f = promise.get_future().share();
  promise.set_value(std::string(100, 'x'));
  interrupt_next();
  auto const copy = f.get();
}

}  // namespace
