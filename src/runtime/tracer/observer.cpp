// SPDX-License-Identifier: MIT
#include "tracer/observer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <unistd.h>

#include "base/base.hpp"
#include "tracer/captured_stack.hpp"
#include "tracer/event_details.hpp"
#include "tracer/file_name.hpp"
#include "tracer/room_wait.hpp"
#include "tracer/session.hpp"
#include "tracer/thread_number.hpp"

namespace memprof::tracer {

constinit stack_scratch scratch;

namespace {

/// Waits only at the outermost level of a thread: a signal handler inside `enqueue` may have cut in
/// two the very push that the writing thread waits for.
constinit thread_local unsigned enqueuing = 0;

bool enqueue(queued_event const& event) noexcept {
  session& s = the_session;
  ++enqueuing;
  bool pushed = s.queue.push(event);
  if (!pushed && enqueuing == 1) {
    pushed = wait_for_room(
        s.patience, [&] { return s.queue.push(event); }, [&] { return s.queue.popped(); },
        [&] { s.bell.ring(true); },
        [&] { return s.live.load(std::memory_order_relaxed) == event.session; });
  }
  --enqueuing;
  if (pushed) {
    s.bell.ring(s.queue.pushed() - s.queue.popped() > event_queue::capacity / 2);
  }
  return pushed;
}

callstack::stack_id take_stack(void const* frame, std::size_t most) noexcept {
  return callstack::intern(captured_stack(frame, most).frames());
}

/// An event that did not fit into the queue, if the trace is still being written.
void count_dropped(std::uint32_t number) noexcept {
  session& s = the_session;
  if (s.live.load(std::memory_order_relaxed) == number) {
    s.counts.dropped.fetch_add(1, std::memory_order_relaxed);
  }
}

bool enqueue_thread(named_thread const& t, std::uint32_t session) noexcept {
  const auto name = std::bit_cast<std::array<std::uint64_t, 2>>(t.name);
  return enqueue({.time = microseconds_now(),
                  .length = name[0],
                  .n_samples = name[1],
                  .tag = t.id,
                  .session = session,
                  .thread = t.number,
                  .kind = queued_kind::thread});
}

engine::observer_tag allocated(engine::observed_block const& seen) noexcept {
  session& s = the_session;
  const std::uint32_t number = s.live.load(std::memory_order_acquire);
  if (number == 0) {
    if (s.begin_in_child.load(std::memory_order_relaxed)) start_in_child();
    return 0;
  }
  const std::uint32_t tag = traced_blocks.acquire();
  if (tag == 0) {
    s.counts.dropped.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  traced_blocks[tag].session = number;
  const std::uint32_t thread =
      number_in_trace(number, name_look::first_samples,
                      [&](named_thread const& t) { return enqueue_thread(t, number); });
  const queued_event event{
      .time = microseconds_now(),
      .length = length_of(seen),
      .n_samples = seen.n_samples,
      .tag = tag,
      .session = number,
      .stack = take_stack(seen.block.frame, s.callstack_size.load(std::memory_order_relaxed)),
      .thread = thread,
      .kind = queued_kind::allocation,
      .source = heap_of(seen)};
  if (enqueue(event)) return tag;
  traced_blocks.release(tag);
  count_dropped(number);
  return 0;
}

/// A later event of a block. False: its trace has ended.
bool follow_up(std::uint32_t tag, queued_kind kind, std::uint32_t late_bit) noexcept {
  session& s = the_session;
  traced_block& block = traced_blocks[tag];
  const std::uint32_t number = s.live.load(std::memory_order_acquire);
  if (number == 0 || block.session != number) return false;
  const std::uint64_t now = microseconds_now();
  // This event must not overtake one that is late already.
  const bool late = block.late.load(std::memory_order_acquire) != 0;
  if (late || !enqueue({.time = now, .tag = tag, .session = number, .kind = kind})) {
    s.late.add(tag, late_bit, now);
    s.bell.ring(false);
  }
  return true;
}

bool promoted(engine::observer_tag tag) noexcept {
  // The tag stays the block's: its record may still be in the queue. See `freed`.
  follow_up(tag, queued_kind::promotion, traced_block::late_promotion);
  return true;
}

void freed(engine::observer_tag tag, bool) noexcept {
  if (!follow_up(tag, queued_kind::collection, traced_block::late_collection)) {
    // Of a trace that has ended. The next trace skips what is left of it in the queue; but a
    // record in the list of late events must not change.
    if (traced_blocks[tag].late.load(std::memory_order_acquire) != 0) {
      the_session.late.add(tag, traced_block::late_collection, 0);
    } else {
      traced_blocks.release(tag);
    }
  }
}

void interrupted(engine::raised_interrupt const& what) noexcept {
  session& s = the_session;
  const std::uint32_t number = s.live.load(std::memory_order_acquire);
  if (number == 0) return;
  const auto most = std::uint64_t{std::numeric_limits<std::uint32_t>::max()};
  const queued_event event{.time = microseconds_now(),
                           .length = static_cast<std::uint64_t>(what.allowed),
                           .n_samples = static_cast<std::uint64_t>(what.measured),
                           .tag = static_cast<std::uint32_t>(std::min(what.deferrals, most)),
                           .session = number,
                           .stack = take_stack(what.frame, frames_of_interrupt),
                           .thread = static_cast<std::uint32_t>(gettid()),
                           .kind = queued_kind::interrupt,
                           .limit = static_cast<limit_kind>(what.kind)};
  if (!enqueue(event)) count_dropped(number);
}

constexpr engine::observer functions{
    .allocated = &allocated, .promoted = &promoted, .freed = &freed, .interrupted = &interrupted};

}  // namespace

engine::observer const& observer_functions() noexcept { return functions; }

void forget_enqueuing() noexcept { enqueuing = 0; }

void exit_began() noexcept {
  const std::uint32_t number = the_session.live.load(std::memory_order_acquire);
  if (number == 0) return;
  enqueue({.time = microseconds_now(), .session = number, .kind = queued_kind::exit_began});
}

void forget_scratch() noexcept { scratch.forget(); }

}  // namespace memprof::tracer
