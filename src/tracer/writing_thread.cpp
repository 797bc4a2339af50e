// SPDX-License-Identifier: MIT
#include "tracer/writing_thread.hpp"

#include <csignal>
#include <cerrno>
#include <new>
#include <sys/prctl.h>

#include "engine/engine.hpp"
#include "tracer/messages.hpp"
#include "tracer/trace_writer.hpp"

namespace memprof::tracer {
namespace {

constexpr std::size_t stack_size = std::size_t{256} << 10;
/// Events are in the file this long after they happened, or sooner.
constexpr std::uint32_t nap_ms = 300;

/// Its tables, some MiB: kept from one trace to the next.
constinit trace_writer* kept_writer = nullptr;

trace_writer* fresh_writer() noexcept {
  if (kept_writer != nullptr) {
    kept_writer->~trace_writer();
  } else {
    kept_writer = static_cast<trace_writer*>(base::map_pages(sizeof(trace_writer)));
    if (kept_writer == nullptr) return nullptr;
  }
  return ::new (static_cast<void*>(kept_writer)) trace_writer(the_session);
}

void tell_begun(outcome const& how) noexcept {
  the_session.begun = how;
  the_session.has_begun.store(1, std::memory_order_release);
  the_session.has_begun.notify_all();
}

/// Of a trace that was running: it ends here, the program goes on.
void give_up(outcome const& why) noexcept {
  session& s = the_session;
  s.live.store(0, std::memory_order_release);
  engine::set_observer_rate(engine::observer_place::trace, 0.0);
  phase expected = phase::running;
  if (!s.now.compare_exchange_strong(expected, phase::failed)) return;  // being stopped: it says so
  say_from_writing_thread(why, s.wanted);
}

void write_events(trace_writer& writer) noexcept {
  session& s = the_session;
  for (;;) {
    // Asked before the queue is emptied: what was pushed before `stop` is written.
    const bool last = s.stop_asked.load(std::memory_order_acquire);
    const bool busy = writer.drain();
    if (!writer.result() || !writer.flush()) return;
    if (last) return;
    s.bell.sleep(busy ? nap_ms : 0, [&] {
      return !s.stop_asked.load(std::memory_order_seq_cst) &&
             (busy ? !writer.crowded() : writer.nothing_to_do());
    });
  }
}

void* run(void*) noexcept {
  // For good: the thread's own end allocates and frees, too.
  alignas(engine::muted_section) static thread_local unsigned char
      muted[sizeof(engine::muted_section)];
  ::new (static_cast<void*>(muted)) engine::muted_section;
  prctl(PR_SET_NAME, "memprof-trace", 0, 0, 0);
  trace_writer* const writer = fresh_writer();
  if (writer == nullptr) {
    tell_begun({step::memory, ENOMEM});
    return nullptr;
  }
  const outcome begun = writer->begin();
  tell_begun(begun);
  if (!begun) return nullptr;
  write_events(*writer);
  writer->end();
  if (const outcome result = writer->result(); !result) give_up(result);
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
  // Large thread-local data of the program may not fit.
  if (error == EINVAL) error = pthread_create(&the_session.thread, nullptr, &run, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return error;
}

}  // namespace memprof::tracer
