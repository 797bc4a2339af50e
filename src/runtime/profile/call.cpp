// SPDX-License-Identifier: MIT
#include "profile/call.hpp"

#include <pthread.h>
#include <utility>

#include "profile/calls.hpp"
#include "profile/entry.hpp"
#include "profile/visits.hpp"

namespace memprof::profiling {
namespace {

struct call_state {
  bool in_call = false;
  int cancel_state = 0;  ///< of the thread, before the call
  std::uint32_t first_postponed = 0;
  std::uint32_t last_postponed = 0;
  // Of the outermost session that the thread is counted in, if it has no word for its visits.
  std::uint32_t session = 0;
  std::uint32_t times = 0;
};

constinit thread_local call_state this_thread_calls;

void end_call() noexcept {
  while (this_thread_calls.first_postponed != 0) {
    const std::uint32_t index = this_thread_calls.first_postponed;
    this_thread_calls.first_postponed = entry_at(index).next_postponed;
    if (this_thread_calls.first_postponed == 0) this_thread_calls.last_postponed = 0;
    free_entry(index);
  }
  this_thread_calls.in_call = false;
  int ignored = 0;
  pthread_setcancelstate(this_thread_calls.cancel_state, &ignored);
}

}  // namespace

user_call::user_call() noexcept : outermost_(!std::exchange(this_thread_calls.in_call, true)) {
  if (outermost_) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &this_thread_calls.cancel_state);
}

user_call::~user_call() {
  if (outermost_) end_call();
}

bool in_user_call() noexcept { return this_thread_calls.in_call; }

bool enter_here(session& s, std::uint32_t number) noexcept {
  switch (begin_visit(s, number)) {
    case visited::inside:
      return true;
    case visited::closed:
      end_visit();
      return false;
    case visited::no_word:
      break;
  }
  if (!enter(s.index, number)) return false;
  if (this_thread_calls.times == 0) this_thread_calls.session = s.index;
  if (this_thread_calls.session == s.index) ++this_thread_calls.times;
  return true;
}

void leave_here(session& s) noexcept {
  if (visit_now() != 0) return end_visit();
  if (this_thread_calls.session == s.index && --this_thread_calls.times == 0)
    this_thread_calls.session = 0;
  leave(s);
}

void end_call_left_by_jump() noexcept {
  call_state& c = this_thread_calls;
  if (!c.in_call) return;
  if (visit_now() != 0) end_visit();
  while (c.times > 0) leave_here(session_at(c.session));
  end_call();
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
  reset_visits_after_fork();
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
