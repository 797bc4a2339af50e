// SPDX-License-Identifier: MIT
#include "tracer/session.hpp"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <unistd.h>

#include "base/base.hpp"
#include "engine/engine.hpp"
#include "tracer/attachment.hpp"
#include "tracer/last_thread.hpp"
#include "tracer/messages.hpp"
#include "tracer/module_list.hpp"
#include "tracer/observer.hpp"
#include "tracer/trace_observer.hpp"
#include "tracer/writing_thread.hpp"

namespace memprof::tracer {

constinit session the_session;

namespace {

constexpr std::int64_t patience_us = 1'000'000;

constinit std::atomic<bool> hooks_set{false};
constinit std::atomic<bool> finishes_later{false};

/// Joining is a cancellation point, and stop() does not throw.
class not_cancelled {
 public:
  not_cancelled() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~not_cancelled() { pthread_setcancelstate(before_, nullptr); }
  not_cancelled(not_cancelled const&) = delete;
  not_cancelled& operator=(not_cancelled const&) = delete;

 private:
  int before_ = 0;
};

void reset_counts(counters& c) noexcept {
  for (auto* one : {&c.allocations, &c.promotions, &c.collections, &c.dropped, &c.bytes}) {
    one->store(0, std::memory_order_relaxed);
  }
}

void at_fork_in_child() noexcept {
  session& s = the_session;
  after_fork_in_child();
  const phase before = s.now.load(std::memory_order_relaxed);
  if (before == phase::idle || before == phase::attached) return;
  const bool goes_on = before == phase::running && s.wanted.for_each_process;
  s.live.store(0, std::memory_order_relaxed);
  s.now.store(phase::idle, std::memory_order_relaxed);
  s.queue_is_inherited = true;
  s.late.forget();
  forget_scratch();
  forget_writing_thread();
  forget_main_thread();
  reset_counts(s.counts);
  s.begin_in_child.store(goes_on, std::memory_order_relaxed);
  if (!goes_on) engine::set_observer_rate(engine::observer_slot::trace, 0.0);
}

void finish() noexcept { stop(); }

void set_hooks() noexcept {
  if (hooks_set.exchange(true, std::memory_order_acq_rel)) return;
  install_trace_observer();
  pthread_atfork(&before_fork, &after_fork, &at_fork_in_child);
  at_quick_exit(&finish);
  watch_main_thread();
}

/// From idle or failed to starting; false if there is a trace.
bool claim() noexcept {
  session& s = the_session;
  phase seen = phase::failed;
  if (s.now.load(std::memory_order_acquire) == phase::failed) stop();
  seen = phase::idle;
  return s.now.compare_exchange_strong(seen, phase::starting, std::memory_order_acq_rel);
}

/// The session's fields and its thread. The phase is `starting`.
outcome launch() noexcept {
  session& s = the_session;
  if (s.queue_is_inherited || !s.queue.ready()) {
    if (!s.queue.renew()) return {step::memory, ENOMEM};
    s.queue_is_inherited = false;
  }
  set_hooks();
  reset_counts(s.counts);
  s.last_number.fetch_add(1, std::memory_order_relaxed);
  s.stop_asked.store(false, std::memory_order_relaxed);
  s.has_begun.store(0, std::memory_order_relaxed);
  s.patience.store(patience_us, std::memory_order_relaxed);
  s.callstack_size.store(s.wanted.callstack_size, std::memory_order_relaxed);
  s.begun = s.ended = {};
  s.said = false;
  s.process = getpid();
  if (const int error = create_writing_thread(); error != 0) return {step::thread, error};
  return {};
}

void say(outcome const& failure) noexcept {
  std::array<char, longest_message> text;
  describe(failure, the_session.wanted, text);
  base::raw_message(text.data());
}

/// After the thread's end.
void report() noexcept {
  session& s = the_session;
  if (!s.ended && !s.said) say(s.ended);
  if (const std::uint64_t n = s.counts.dropped.load(std::memory_order_relaxed); n != 0) {
    std::array<char, longest_message> text;
    describe_drop(n, s.wanted, text);
    base::raw_message(text.data());
  }
}

/// Of `main`, or of the library that this is linked into: the last that it runs.
[[gnu::destructor(101)]] void at_end_of_module() noexcept {
  if (!finishes_later.load(std::memory_order_relaxed)) stop();
}

}  // namespace

outcome start(settings const& wanted) noexcept {
  session& s = the_session;
  outcome how;
  {
    const engine::muted_section muted;
    const not_cancelled whole;
    leave_attached_recorder();
    if (!claim()) return {step::thread, EALREADY};
    s.wanted = wanted;
    s.begins_alone = false;
    s.begin_in_child.store(false, std::memory_order_relaxed);
    how = launch();
    if (how) {
      s.has_begun.wait(0, std::memory_order_acquire);
      how = s.begun;
      if (!how) pthread_join(s.thread, nullptr);
    }
    if (!how) s.now.store(phase::idle, std::memory_order_release);
  }
  engine::rearm();  // this thread is sampled from here on
  return how;
}

void start_in_child() noexcept {
  session& s = the_session;
  if (!s.begin_in_child.exchange(false, std::memory_order_acq_rel) || !claim()) return;
  s.begins_alone = true;
  if (const outcome how = launch(); !how) {
    s.now.store(phase::idle, std::memory_order_release);
    engine::set_observer_rate(engine::observer_slot::trace, 0.0);
    say(how);
  }
}

void stop() noexcept {
  session& s = the_session;
  const engine::muted_section muted;
  const not_cancelled whole;
  if (s.now.load(std::memory_order_acquire) == phase::idle || s.process != getpid()) return;
  if (s.begins_alone) s.has_begun.wait(0, std::memory_order_acquire);
  phase seen = s.now.load(std::memory_order_acquire);
  while (seen == phase::running || seen == phase::failed) {
    if (!s.now.compare_exchange_weak(seen, phase::stopping, std::memory_order_acq_rel)) continue;
    s.live.store(0, std::memory_order_release);
    engine::set_observer_rate(engine::observer_slot::trace, 0.0);
    s.stop_asked.store(true, std::memory_order_seq_cst);
    s.bell.ring(true);
    pthread_join(s.thread, nullptr);
    report();
    s.now.store(phase::idle, std::memory_order_release);
    s.now.notify_all();
    return;
  }
  // Another thread is stopping; the end of the process must not interrupt it.
  if (seen == phase::stopping) s.now.wait(phase::stopping, std::memory_order_acquire);
}

void finish_after_everything() noexcept {
  const engine::muted_section muted;
  if (finishes_later.exchange(true, std::memory_order_relaxed)) return;
  // Functions registered first are called last. One that belongs to no module is not called when a
  // module is finalised. (atexit would register it for this module.)
  const auto last = [](void*) { stop(); };
  if (abi::__cxa_atexit(last, nullptr, nullptr) != 0) finishes_later.store(false);
}

}  // namespace memprof::tracer
