// SPDX-License-Identifier: MIT
#include "profile/call.hpp"

#include <pthread.h>
#include <utility>

#include "profile/calls.hpp"
#include "profile/entry.hpp"

namespace memprof::profiling {
namespace {

struct call_state {
  bool in_call = false;
  std::uint32_t first_postponed = 0;
  std::uint32_t last_postponed = 0;
  std::uint32_t session = 0;  ///< the outermost one that the thread is inside of
  std::uint32_t times = 0;
};

constinit thread_local call_state this_thread_calls;

}  // namespace

user_call::user_call() noexcept : outermost_(!std::exchange(this_thread_calls.in_call, true)) {
  if (outermost_) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state_);
}

user_call::~user_call() {
  if (!outermost_) return;
  while (this_thread_calls.first_postponed != 0) {
    const std::uint32_t index = this_thread_calls.first_postponed;
    this_thread_calls.first_postponed = entry_at(index).next_postponed;
    if (this_thread_calls.first_postponed == 0) this_thread_calls.last_postponed = 0;
    free_entry(index);
  }
  this_thread_calls.in_call = false;
  int ignored = 0;
  pthread_setcancelstate(cancel_state_, &ignored);
}

bool in_user_call() noexcept { return this_thread_calls.in_call; }

bool enter_here(std::uint32_t index, std::uint32_t number) noexcept {
  if (!enter(index, number)) return false;
  if (this_thread_calls.times == 0) this_thread_calls.session = index;
  if (this_thread_calls.session == index) ++this_thread_calls.times;
  return true;
}

void leave_here(session& s) noexcept {
  if (this_thread_calls.session == s.index && --this_thread_calls.times == 0)
    this_thread_calls.session = 0;
  leave(s);
}

void postpone_free(std::uint32_t entry_index) noexcept {
  entry_at(entry_index).next_postponed = 0;
  if (this_thread_calls.last_postponed == 0) {
    this_thread_calls.first_postponed = entry_index;
  } else {
    entry_at(this_thread_calls.last_postponed).next_postponed = entry_index;
  }
  this_thread_calls.last_postponed = entry_index;
}

void reset_calls_after_fork() noexcept {
  reset_sessions_after_fork(this_thread_calls.session, this_thread_calls.times);
}

void record_failure(session& s) noexcept {
  s.failures.fetch_add(1, std::memory_order_relaxed);
  std::uint32_t none = 0;
  if (!s.failure_state.compare_exchange_strong(none, 1, std::memory_order_acquire)) return;
  s.failure = std::current_exception();
  s.failure_state.store(2, std::memory_order_release);
}

}  // namespace memprof::profiling
