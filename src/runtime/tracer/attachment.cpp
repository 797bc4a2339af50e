// SPDX-License-Identifier: MIT
// Compiled without link-time optimisation, which does not see what the assembler refers to.
#include "tracer/attachment.hpp"

#include <cerrno>
#include <ctime>
#include <linux/futex.h>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.hpp"
#include "callstack/callstack.hpp"
#include "copies/copies.hpp"
#include "engine/engine.hpp"
#include "tracer/observer.hpp"
#include "tracer/relay_session.hpp"
#include "tracer/session.hpp"
#include "tracer/thread_number.hpp"

// An ELF note: owner "memprof", type relay::attach_note_type, and in it the distance from there to
// the request. Recorders find it in the memory of the process, whatever became of the file.
asm(R"(
  .pushsection .note.memprof, "a", %note
  .balign 4
  .long 8
  .long 4
  .long 2
  .asciz "memprof"
2:
  .long memprof_attach_request - 2b
  .popsection
)");

namespace memprof::tracer {

extern "C" [[gnu::visibility("hidden")]] relay::attach_request memprof_attach_request;

constinit relay::attach_request memprof_attach_request
    [[gnu::used]] = {.call = &engine::outside_call, .asking = {}, .recording = {}};

namespace {

using relay::attach_refusal;
using relay::attach_state;

relay::attach_request& the_request() noexcept { return memprof_attach_request; }

constinit std::atomic<int> offered_descriptor{-1};

class uninterrupted {
 public:
  uninterrupted() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~uninterrupted() {
    pthread_setcancelstate(before_, nullptr);
    errno = saved_errno_;
  }
  uninterrupted(uninterrupted const&) = delete;
  uninterrupted& operator=(uninterrupted const&) = delete;

 private:
  int before_ = 0;
  int saved_errno_ = errno;
};

void close_offered() noexcept {
  // A child may have closed it: then the number is somebody else's.
  const int descriptor = offered_descriptor.exchange(-1, std::memory_order_relaxed);
  if (descriptor >= 0) syscall(SYS_close, descriptor);
}

bool advance(attach_state from, attach_state to) noexcept {
  return the_request().state.compare_exchange_strong(from, to, std::memory_order_acq_rel);
}

void refuse(attach_refusal why, int error = 0) noexcept {
  the_request().refusal = why;
  the_request().error = error;
  advance(attach_state::taken, attach_state::refused);
}

/// From `attached` to idle, by one thread.
void end_attachment() noexcept {
  std::atomic<phase>& now = the_session.now;
  phase seen = phase::attached;
  if (!now.compare_exchange_strong(seen, phase::stopping, std::memory_order_acq_rel)) return;
  leave_recorder();
  the_request().recording = {};
  advance(attach_state::attached, attach_state::idle);
  now.store(phase::idle, std::memory_order_release);
  now.notify_all();
}

/// For a new recorder: takes the phase `starting`, if the old one, if any, is out of the way.
attach_refusal claim_for_recorder() noexcept {
  relay_session& s = the_relay;
  const bool replaces = the_request().replaces == the_request().recording.process;
  phase seen = the_session.now.load(std::memory_order_acquire);
  if (seen == phase::attached) {
    if (!replaces) return attach_refusal::recorded;
    end_attachment();
  }
  seen = phase::idle;
  if (!the_session.now.compare_exchange_strong(seen, phase::starting, std::memory_order_acq_rel)) {
    return seen == phase::running || seen == phase::failed ? attach_refusal::tracing
                                                           : attach_refusal::busy;
  }
  // Of a recorder that started this process, its memory stays mapped: uses of it are not counted.
  if (relay_memory const* const m = s.current.load(std::memory_order_relaxed)) {
    const bool in_use = s.channel.load(std::memory_order_relaxed) != nullptr &&
                        m->area.load()->shared.closed.load(std::memory_order_relaxed) == 0;
    if (in_use && !replaces) {
      the_session.now.store(phase::idle, std::memory_order_release);
      return attach_refusal::recorded;
    }
    forget_starting_recorder();
    the_request().recording = {};
  }
  return attach_refusal::none;
}

bool await_acceptance(relay::control& shared) noexcept {
  const std::int64_t end = base::steady_nanoseconds() + relay::attach_patience_ns;
  for (;;) {
    if (shared.accepted.load(std::memory_order_acquire) != 0) return true;
    const std::int64_t left = end - base::steady_nanoseconds();
    if (left <= 0) return false;
    const timespec duration{.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
    syscall(SYS_futex, &shared.accepted, FUTEX_WAIT, 0, &duration, nullptr, 0);
  }
}

/// Makes the memory, and begins to push if the recorder accepts it. In the phase `starting`.
///
/// \return errno if it cannot be made.
int offer(relay::attach_request const& wanted) noexcept {
  const relay::recorder_identity asking = wanted.asking;
  char const* failed = nullptr;
  const int descriptor = relay::create_memory(failed);
  if (descriptor < 0) return errno;
  offered_descriptor.store(descriptor, std::memory_order_relaxed);
  const relay::mapped_area made = relay::map_area(
      descriptor, wanted.children != 0 ? relay::channels_under_limit(relay::most_channels) : 1);
  if (!made) {
    const int why = errno;
    close_offered();
    return why;
  }
  relay::control& shared = *::new (static_cast<void*>(&made.shared->shared)) relay::control;
  shared.cookie = wanted.cookie;
  shared.children = wanted.children;
  shared.pid_namespace = wanted.pid_namespace;
  shared.first_process.store(getpid(), std::memory_order_relaxed);
  shared.magic = relay::magic;
  the_request().descriptor = descriptor;
  const bool accepted =
      advance(attach_state::taken, attach_state::offered) && await_acceptance(shared);
  close_offered();
  the_relay.detachable.store(true, std::memory_order_relaxed);
  watch_forks();
  relay::channel* const c = accepted && advance(attach_state::offered, attach_state::attached)
                                ? open_channel(made, wanted.rate)
                                : nullptr;
  if (c != nullptr) {
    publish(
        made, *c,
        {.rate = wanted.rate, .callstack_size = wanted.callstack_size, .last_look = first_sample});
    the_request().recording = asking;
    the_session.now.store(phase::attached, std::memory_order_release);
    return 0;
  }
  relay::unmap_area(made);
  // What the recorder has asked for meanwhile, if anything, stays.
  if (!advance(attach_state::offered, attach_state::idle)) {
    advance(attach_state::attached, attach_state::idle);
  }
  the_session.now.store(phase::idle, std::memory_order_release);
  return 0;
}

void answer_request() noexcept {
  const uninterrupted whole;
  if (the_request().process != getpid()) {
    engine::outside_call.store(1, std::memory_order_relaxed);
    return;
  }
  if (!advance(attach_state::asked, attach_state::taken)) return;
  const bool sane = the_request().rate > 0.0 && the_request().rate <= 1.0 &&
                    the_request().callstack_size <= callstack::largest_stack;
  if (!sane) return refuse(attach_refusal::bad_request);
  const attach_refusal why = claim_for_recorder();
  if (why != attach_refusal::none) return refuse(why);
  if (const int error = offer(the_request()); error != 0) {
    refuse(attach_refusal::no_memory, error);
    the_session.now.store(phase::idle, std::memory_order_release);
  }
}

/// At the end of an event, muted.
void answer_recorder() noexcept {
  if (the_request().state.load(std::memory_order_acquire) == attach_state::asked)
    return answer_request();
  bool closed = false;
  {
    const relay_use use;
    closed = use.closed();
  }
  if (closed) leave_closed_recorder();
}

[[gnu::constructor]] void take_requests() noexcept {
  if (copies::other() != nullptr) return;
  engine::on_outside_call(&answer_recorder);
  the_request().role.store(
      copies::in_preload_library() ? relay::attach_role::preloaded : relay::attach_role::linked,
      std::memory_order_release);
}

[[gnu::destructor(101)]] void flush_at_end_of_module() noexcept {
  if (the_relay.detachable.load(std::memory_order_relaxed)) flush_late_events();
}

}  // namespace

void note_recorder(std::int32_t recorder) noexcept {
  the_request().recording = {.process = recorder, .unused = 0, .started = 0};
  the_request().state.store(attach_state::attached, std::memory_order_release);
}

void leave_closed_recorder() noexcept {
  if (the_relay.detachable.load(std::memory_order_relaxed)) return end_attachment();
  leave_recorder();
  the_request().recording = {};
  advance(attach_state::attached, attach_state::idle);
}

void leave_dead_recorder(relay::channel const& c) noexcept {
  constexpr std::int64_t long_enough_ns = 3'000'000'000;
  static constinit std::atomic<std::uint64_t> seen{0};
  static constinit std::atomic<std::int64_t> since{0};
  if (!the_relay.detachable.load(std::memory_order_relaxed)) return;
  const std::uint64_t popped = c.events.popped();
  const std::int64_t now = base::steady_nanoseconds();
  if (seen.exchange(popped, std::memory_order_relaxed) != popped ||
      since.load(std::memory_order_relaxed) == 0) {
    since.store(now, std::memory_order_relaxed);
  } else if (now - since.load(std::memory_order_relaxed) > long_enough_ns) {
    since.store(0, std::memory_order_relaxed);
    end_attachment();
  }
}

void leave_attached_recorder() noexcept {
  const auto attaches = [] {
    const attach_state now = the_request().state.load(std::memory_order_acquire);
    return now == attach_state::taken || now == attach_state::offered;
  };
  while (attaches()) base::sleep_uncancellable(1000);
  end_attachment();
}

void attachment_in_child(bool goes_on) noexcept {
  std::atomic<phase>& now = the_session.now;
  engine::outside_call.store(0, std::memory_order_relaxed);
  close_offered();
  const phase before = now.load(std::memory_order_relaxed);
  if (before == phase::attached && goes_on) return;
  if (!goes_on) {
    the_request().state.store(attach_state::idle, std::memory_order_relaxed);
    the_request().recording = {};
  }
  // Otherwise the session sees to its phases.
  const bool in_the_middle = before == phase::starting || before == phase::stopping;
  if (before == phase::attached || (in_the_middle && the_session.process == 0)) {
    leave_recorder();
    now.store(phase::idle, std::memory_order_relaxed);
  }
}

}  // namespace memprof::tracer
