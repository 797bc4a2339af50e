// SPDX-License-Identifier: MIT
//
// Threads, and what they synchronise with.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <thread>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

std::mutex mutex;
std::shared_mutex shared_mutex;
std::once_flag once;

bool mutex_is_free() {
  bool const got = mutex.try_lock();
  if (got) mutex.unlock();
  return got;
}

bool shared_mutex_is_free() {
  bool const got = shared_mutex.try_lock();
  if (got) shared_mutex.unlock();
  return got;
}

MEMPROF_SITUATION(thread_constructor_in_parent, must_deliver) {
  interrupt_next();
  std::thread t([] {});
  t.join();
}

MEMPROF_SITUATION(thread_body_without_boundary, must_defer) {
  std::thread t([] { interruption(); });
  t.join();
}

MEMPROF_SITUATION(thread_body_with_own_boundary, must_deliver) {
  std::thread t([] { in_boundary([] { interruption(); }); });
  t.join();
}

MEMPROF_SITUATION(joinable_thread_on_the_stack, must_defer) {
  std::thread t([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  interruption();
  t.join();
}

// Whether it is still joinable cannot be seen: a refusal more than needed.
MEMPROF_SITUATION(joined_thread_on_the_stack, either) {
  std::thread t([] {});
  t.join();
  interruption();
}

#if defined(__cpp_lib_jthread)
MEMPROF_SITUATION(jthread_on_the_stack, either) {
  std::jthread const t([](std::stop_token const& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  interruption();
}
#endif

MEMPROF_SITUATION(under_lock_guard, must_deliver) {
  check_afterwards(mutex_is_free);
  std::lock_guard const lock(mutex);
  interruption();
}

MEMPROF_SITUATION(under_unique_lock, must_deliver) {
  check_afterwards(mutex_is_free);
  std::unique_lock lock(mutex);
  interruption();
}

MEMPROF_SITUATION(under_shared_lock, must_deliver) {
  check_afterwards(shared_mutex_is_free);
  std::shared_lock const lock(shared_mutex);
  interruption();
}

MEMPROF_SITUATION(condition_variable_predicate, must_deliver) {
  check_afterwards(mutex_is_free);
  std::condition_variable changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, std::chrono::milliseconds(1), [] {
    interruption();
    return true;
  });
}

MEMPROF_SITUATION(call_once, either) {
  std::call_once(once, [] { interruption(); });
}

MEMPROF_SITUATION(call_once_exception_leaves_flag_unset, either) {
  check_afterwards([] {
    bool called = false;
    std::call_once(once, [&called] { called = true; });
    return called;
  });
  witness const a;
  std::call_once(once, [] {
    witness const b;
    interruption();
  });
}

#if defined(__cpp_lib_jthread)
MEMPROF_SITUATION(stop_callback_body, must_defer) {
  // request_stop() is noexcept.
  std::stop_source source;
  std::stop_callback const callback(source.get_token(), [] { interruption(); });
  source.request_stop();
}
#endif

MEMPROF_SITUATION(thread_detached_with_boundary, must_deliver) {
  may_leave_blocks();
  std::mutex done;
  std::condition_variable changed;
  bool over = false;
  std::unique_lock lock(done);
  std::thread([&] {
    in_boundary([] { interruption(); });
    std::lock_guard const guard(done);
    over = true;
    changed.notify_one();
  }).detach();
  changed.wait(lock, [&over] { return over; });
}

}  // namespace
