// SPDX-License-Identifier: MIT
#include "tracer/writing_thread.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <new>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <utility>

#include "engine/engine.hpp"
#include "records/records.hpp"
#include "tracer/file_name.hpp"
#include "tracer/last_thread.hpp"
#include "tracer/messages.hpp"
#include "tracer/observer.hpp"
#include "tracer/thread_number.hpp"

namespace memprof::tracer {
namespace {

constexpr std::size_t stack_size = std::size_t{256} << 10;
/// Events are in the file at most this long after they happened.
constexpr timespec nap{.tv_sec = 0, .tv_nsec = 300'000'000};

/// From the ring to the file. In mapped pages.
class trace_writer {
 public:
  explicit trace_writer(session& of) noexcept : session_(of) { uname(&system_); }

  /// Opens the file and writes the trace-info, of the records that are in the ring already.
  outcome begin() noexcept {
    char name[longest_file_name];
    if (!expand_process_id(session_.wanted.file.data(), getpid(), name)) {
      return {step::open, ENAMETOOLONG};
    }
    if (const outcome opened = file_.open(name); !opened) return opened;
    take();
    if (result() && !trace_.has_begun()) return {step::encode, ENAMETOOLONG};
    return result();
  }
  /// Takes what was pushed, and writes it. True: there was something, or there will be soon.
  bool take() noexcept {
    reader_.take_all(false);
    reader_.look_at_hole();
    return write() || !nothing_to_do();
  }
  /// The same for the last time.
  void end() noexcept {
    reader_.take_last();
    take_late_events(trace_);
    trace_.end();
    write();
    file_.close();
  }

  [[nodiscard]] outcome result() const noexcept {
    using failure = records::process_trace::failure;
    if (trace_.failed() == failure::encode) return {step::encode, ENAMETOOLONG};
    if (trace_.failed() == failure::memory) return {step::memory, ENOMEM};
    return written_;
  }
  [[nodiscard]] bool nothing_to_do() const noexcept { return ring_.popped() == ring_.claimed(); }
  /// The ring is filling up, so that the thread must not nap.
  [[nodiscard]] bool crowded() const noexcept { return ring_.crowded(); }

 private:
  /// Whether there was anything.
  bool write() noexcept {
    trace_.flush();
    const bool any = file_.size() != session_.counts.bytes.load(std::memory_order_relaxed);
    const auto publish = [](std::atomic<std::uint64_t>& to, std::uint64_t count) {
      to.store(count, std::memory_order_relaxed);
    };
    counters& c = session_.counts;
    publish(c.allocations, trace_.counts().allocations);
    publish(c.promotions, trace_.counts().promotions);
    publish(c.collections, trace_.counts().collections);
    publish(c.dropped, session_.channel->dropped.load(std::memory_order_relaxed));
    publish(c.bytes, file_.size());
    return any;
  }
  static bool write_packet(void* writer, std::span<std::byte const> packet) noexcept {
    auto& self = *static_cast<trace_writer*>(writer);
    self.written_ = self.file_.write(packet);
    return static_cast<bool>(self.written_);
  }

  session& session_;
  relay::ring& ring_ = session_.channel->events;
  utsname system_{};
  outcome written_;
  trace_file file_;
  records::process_trace trace_{{.host_name = system_.nodename,
                                 .context = session_.wanted.context.data(),
                                 .process = static_cast<std::uint64_t>(getpid())},
                                {.context = this, .write = &write_packet, .restart = nullptr}};
  records::record_buffer buffer_;  // not zeroed
  records::channel_reader reader_{ring_, trace_, buffer_};
};

// Kept from one trace to the next.
constinit void* writer_memory = nullptr;

void notify_begun(outcome const& how) noexcept {
  session& s = the_session;
  s.begun = how;
  if (how) {
    if (s.takes_records) {
      the_relay.detachable.store(true, std::memory_order_relaxed);
      s.published = &publish(s.own, *s.channel,
                             {.rate = s.wanted.rate,
                              .callstack_size = s.wanted.callstack_size,
                              .last_look = first_samples});
      hold(*s.published);
    }
    s.now.store(phase::running, std::memory_order_release);
  }
  s.has_begun.store(1, std::memory_order_release);
  s.has_begun.notify_all();
}

void write_events(trace_writer& writer) noexcept {
  session& s = the_session;
  relay::control& shared = s.own.shared->shared;
  bool alone = false;
  for (;;) {
    // Read before the ring is emptied: what was pushed before `stop` is written. Twice alone: the
    // first time a thread that has just begun may not have been seen.
    const bool was_alone = std::exchange(alone, only_thread_left());
    const bool last = s.stop_asked.load(std::memory_order_acquire) || (alone && was_alone);
    const bool busy = writer.take();
    if (!writer.result() || last) return;
    if (busy || main_thread_ended()) {
      relay::sleep_unless(shared, nap, [&] {
        return s.stop_asked.load(std::memory_order_seq_cst) || writer.crowded();
      });
    } else {
      relay::sleep_until_record(shared, [&] {
        return s.stop_asked.load(std::memory_order_seq_cst) || main_thread_ended() ||
               !writer.nothing_to_do();
      });
    }
  }
}

/// Ends the trace; the program continues.
void conclude(outcome const& result) noexcept {
  session& s = the_session;
  s.ended = result;
  if (result) return;
  stop_pushing();
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
  if (writer_memory == nullptr) writer_memory = base::map_pages(sizeof(trace_writer));
  trace_writer* const writer =
      writer_memory == nullptr ? nullptr : ::new (writer_memory) trace_writer(the_session);
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
  if (writer != nullptr) writer->~trace_writer();
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

void forget_writing_thread() noexcept { writer_memory = nullptr; }

}  // namespace memprof::tracer
