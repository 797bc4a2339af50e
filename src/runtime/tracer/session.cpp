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
#include "tracer/observer.hpp"
#include "tracer/thread_number.hpp"
#include "tracer/writing_thread.hpp"

namespace memprof::tracer {

constinit session the_session;

namespace {

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

void finish() noexcept { stop(); }

void set_hooks() noexcept {
  if (hooks_set.exchange(true, std::memory_order_acq_rel)) return;
  base::open_process_barrier();
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

/// The memory goes when the last of the program's threads has left it.
void release_memory() noexcept {
  session& s = the_session;
  if (s.published != nullptr) {
    let_go(*s.published);
  } else if (s.own) {
    relay::unmap_area(s.own);
  }
  s.own = {};
  s.channel = nullptr;
  s.published = nullptr;
}

/// Whether a recorder outside has what is sampled. One that has ended is forgotten.
bool recorded_outside() noexcept {
  if (relay_use{}.channel() != nullptr) return true;
  if (the_relay.current.load(std::memory_order_relaxed) != nullptr) forget_starting_recorder();
  return false;
}

/// The session's fields and its thread. The phase is `starting`.
outcome launch() noexcept {
  session& s = the_session;
  set_hooks();
  watch_forks();
  s.own = relay::map_private_area();
  if (!s.own) return {step::memory, ENOMEM};
  s.own.shared->shared.first_process.store(getpid(), std::memory_order_relaxed);
  s.channel = open_channel(s.own, s.wanted.rate);
  s.takes_records = !recorded_outside();
  reset_counts(s.counts);
  s.stop_asked.store(false, std::memory_order_relaxed);
  s.has_begun.store(0, std::memory_order_relaxed);
  s.begun = s.ended = {};
  s.said = false;
  s.process = getpid();
  const int error = create_writing_thread();
  if (error == 0) return {};
  release_memory();
  return {step::thread, error};
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
      if (!how) {
        pthread_join(s.thread, nullptr);
        release_memory();
      }
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
    stop_pushing();
    s.stop_asked.store(true, std::memory_order_seq_cst);
    relay::wake(s.own.shared->shared);
    pthread_join(s.thread, nullptr);
    release_memory();
    report();
    s.now.store(phase::idle, std::memory_order_release);
    s.now.notify_all();
    return;
  }
  // Another thread is stopping; the end of the process must not interrupt it.
  if (seen == phase::stopping) s.now.wait(phase::stopping, std::memory_order_acquire);
}

std::uint64_t dropped_so_far() noexcept {
  session& s = the_session;
  const relay_use use;
  const bool running = s.now.load(std::memory_order_acquire) == phase::running && s.takes_records;
  if (running && use.channel() != nullptr) return use.channel()->dropped;
  return s.counts.dropped.load(std::memory_order_relaxed);
}

void stop_pushing() noexcept {
  session& s = the_session;
  s.own.shared->shared.closed.store(1, std::memory_order_seq_cst);
  if (s.published != nullptr) leave_recorder();
}

void session_in_child() noexcept {
  session& s = the_session;
  const phase before = s.now.load(std::memory_order_relaxed);
  if (before == phase::idle || before == phase::attached) return;
  const bool goes_on = before == phase::running && s.wanted.for_each_process;
  if (s.published != nullptr) leave_recorder();
  s.own = {};
  s.published = nullptr;
  s.now.store(phase::idle, std::memory_order_relaxed);
  forget_writing_thread();
  forget_main_thread();
  reset_counts(s.counts);
  s.begin_in_child.store(goes_on, std::memory_order_relaxed);
  if (s.takes_records) {
    engine::set_observer_rate(engine::observer_slot::trace, goes_on ? s.wanted.rate : 0.0);
  }
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
