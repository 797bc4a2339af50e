// SPDX-License-Identifier: MIT
#include "tracer/writing_thread.hpp"

#include <cerrno>
#include <csignal>
#include <new>
#include <sys/prctl.h>
#include <utility>

#include "engine/engine.hpp"
#include "tracer/last_thread.hpp"
#include "tracer/messages.hpp"
#include "tracer/trace_writer.hpp"

namespace memprof::tracer {
namespace {

constexpr std::size_t stack_size = std::size_t{256} << 10;
/// Events are in the file at most this long after they happened.
constexpr std::uint32_t nap_ms = 300;

// Kept from one trace to the next.
constinit code_book* kept_codes = nullptr;
constinit void* kept_writer = nullptr;

trace_writer* fresh_writer() noexcept {
  if (kept_codes == nullptr) {
    void* const memory = base::map_pages(sizeof(code_book));
    if (memory == nullptr) return nullptr;
    kept_codes = ::new (memory) code_book;
  }
  if (kept_writer == nullptr) kept_writer = base::map_pages(sizeof(trace_writer));
  if (kept_writer == nullptr) return nullptr;
  return ::new (kept_writer) trace_writer(the_session, *kept_codes);
}

void notify_begun(outcome const& how) noexcept {
  session& s = the_session;
  s.begun = how;
  if (how) {
    engine::set_observer_rate(engine::observer_slot::trace, s.wanted.rate);
    s.live.store(s.last_number.load(std::memory_order_relaxed), std::memory_order_release);
    s.now.store(phase::running, std::memory_order_release);
  }
  s.has_begun.store(1, std::memory_order_release);
  s.has_begun.notify_all();
}

void write_events(trace_writer& writer) noexcept {
  session& s = the_session;
  bool alone = false;
  for (;;) {
    // Read before the queue is emptied: what was pushed before `stop` is written. Twice alone: the
    // first time a thread that has just begun may not have been seen.
    const bool was_alone = std::exchange(alone, only_thread_left());
    const bool last = s.stop_asked.load(std::memory_order_acquire) || (alone && was_alone);
    const bool busy = writer.drain();
    if (!writer.result() || !writer.flush() || last) return;
    const bool naps = busy || main_thread_ended();
    s.bell.sleep(naps ? nap_ms : 0, [&] {
      return !s.stop_asked.load(std::memory_order_seq_cst) && (naps || !main_thread_ended()) &&
             (busy ? !writer.crowded() : writer.nothing_to_do());
    });
  }
}

/// Ends the trace; the program continues.
void conclude(outcome const& result) noexcept {
  session& s = the_session;
  s.ended = result;
  if (result) return;
  s.live.store(0, std::memory_order_release);
  engine::set_observer_rate(engine::observer_slot::trace, 0.0);
  phase expected = phase::running;
  // Otherwise it is being stopped.
  s.now.compare_exchange_strong(expected, phase::failed, std::memory_order_acq_rel);
  std::array<char, longest_message> text;
  describe(result, s.wanted, text);
  s.said = say_to_program(text.data());
}

void* run(void*) noexcept {
  // Never ended: the thread's own end allocates and frees, too.
  alignas(engine::muted_section) unsigned char muted[sizeof(engine::muted_section)];
  ::new (static_cast<void*>(muted)) engine::muted_section;
  prctl(PR_SET_NAME, "memprof-trace", 0, 0, 0);
  trace_writer* const writer = fresh_writer();
  const outcome begun = writer == nullptr ? outcome{step::memory, ENOMEM} : writer->begin();
  const bool waited_for = !the_session.begins_alone;
  notify_begun(begun);
  if (begun) {
    write_events(*writer);
    writer->end();
    conclude(writer->result());
  } else if (!waited_for) {
    conclude(begun);
    the_session.now.store(phase::failed, std::memory_order_release);
  }
  return nullptr;
}

}  // namespace

int create_writing_thread() noexcept {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // inherited: no signal is ever ours
  int error = pthread_attr_setstacksize(&attributes, stack_size);
  if (error == 0) error = pthread_create(&the_session.thread, &attributes, &run, nullptr);
  // Thread-local data of the program may not fit.
  if (error == EINVAL) error = pthread_create(&the_session.thread, nullptr, &run, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return error;
}

void forget_writing_thread() noexcept {
  kept_codes = nullptr;
  kept_writer = nullptr;
}

}  // namespace memprof::tracer
