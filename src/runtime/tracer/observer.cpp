// SPDX-License-Identifier: MIT
#include "tracer/observer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <unistd.h>

#include "base/base.hpp"
#include "tracer/attachment.hpp"
#include "tracer/captured_stack.hpp"
#include "tracer/event_details.hpp"
#include "tracer/file_name.hpp"
#include "tracer/relay_session.hpp"
#include "tracer/room_wait.hpp"
#include "tracer/session.hpp"
#include "tracer/thread_number.hpp"

namespace memprof::tracer {

constinit base::index_pool<traced_block> traced_blocks;
constinit stack_scratch scratch;

namespace {

using words = std::span<std::uint64_t const>;
using relay::record_kind;

/// Waits only at the outermost level of a thread: a signal handler inside `send` may have cut in
/// two the very push that the recorder waits for.
constinit thread_local unsigned sending = 0;

/// The thread's spare tag: behind its collection, which this thread has pushed, it may come again.
constinit thread_local base::spare_index spare_tag;

/// Records between two looks at how full the ring is, in slots.
constexpr std::uint64_t look_every = 4096;

/// Within the use that `to` is of.
bool send(relay_target const& to, words first, words rest) noexcept {
  relay::ring& events = to.channel.events;
  ++sending;
  bool pushed = events.push(first, rest);
  if (!pushed && sending == 1) {
    pushed = wait_for_room(
        the_relay.patience, [&] { return events.push(first, rest); },
        [&] { return events.popped(); }, [&] { relay::wake(to.shared); },
        [&] { return to.shared.closed.load(std::memory_order_relaxed) == 0; });
  }
  --sending;
  // Ordinarily the reader comes by itself, and this makes no system call.
  if (pushed && events.claimed() % look_every < 8 && events.crowded()) relay::wake(to.shared);
  if (pushed) relay::wake_idle(to.shared);
  return pushed;
}

bool send_later_event(relay_target const& to, record_kind kind, std::uint32_t tag,
                      std::uint64_t time) noexcept {
  return send(to, relay::record<0>({.kind = kind, .of = tag, .time = time}, {}, 0), {});
}

/// The late events of a block that `take` returned. False: there is still no room.
bool send_late(relay_target const& to, std::uint32_t tag, traced_block& block) noexcept {
  std::uint32_t what = block.late.load(std::memory_order_acquire);
  if ((what & traced_block::late_promotion) != 0) {
    if (!send_later_event(to, record_kind::promotion, tag, block.promoted_at)) return false;
    // From 0 on the block is another thread's, which may come with the next late event.
    what = block.late.fetch_and(~traced_block::late_promotion, std::memory_order_acq_rel) &
           ~traced_block::late_promotion;
    if (what == 0) return true;
  }
  if (!send_later_event(to, record_kind::collection, tag, block.collected_at)) return false;
  block.late.store(0, std::memory_order_relaxed);
  traced_blocks.release(tag);
  return true;
}

/// Once there is room again.
void flush_late(relay_target const& to) noexcept {
  relay_session& s = the_relay;
  if (s.late.empty()) [[likely]] {
    return;
  }
  bool room = true;
  for (std::uint32_t tag = s.late.take(); tag != 0;) {
    traced_block& block = traced_blocks[tag];
    const std::uint32_t next = block.next_late;
    room = room && send_late(to, tag, block);
    if (!room) s.late.link(tag);
    tag = next;
  }
}

void count_lost(relay::channel& c) noexcept {
  c.dropped.fetch_add(1, std::memory_order_relaxed);
  leave_dead_recorder(c);
}

bool send_thread(relay_target const& to, named_thread const& t) noexcept {
  const auto name = std::bit_cast<std::array<std::uint64_t, 2>>(t.name);
  return send(
      to,
      relay::record({.kind = record_kind::thread, .of = t.number, .time = microseconds_now()},
                    std::array<std::uint64_t, relay::thread_words>{t.id, name[0], name[1]}, 0),
      {});
}

engine::observer_tag allocated(engine::observed_block const& seen) noexcept {
  const relay_use use;
  relay::channel* const c = use.channel();
  if (c == nullptr) {
    if (use.closed()) leave_closed_recorder();
    if (the_session.begin_in_child.load(std::memory_order_relaxed)) start_in_child();
    return 0;
  }
  relay_session& s = the_relay;
  const std::uint32_t tag = spare_tag.acquire(traced_blocks);
  if (tag == 0) {
    count_lost(*c);
    return 0;
  }
  const std::uint32_t number = s.number.load(std::memory_order_relaxed);
  traced_blocks[tag].session = number;
  traced_blocks[tag].late.store(0, std::memory_order_relaxed);  // a parent's, perhaps
  const relay_target to = use.target();
  const captured_stack stack(seen.block.frame, s.callstack_size.load(std::memory_order_relaxed));
  s.modules.announce(stack.frames(), to, &send);
  const std::uint64_t thread =
      number_in_trace(number, s.last_look.load(std::memory_order_relaxed),
                      [&](named_thread const& t) { return send_thread(to, t); });
  const auto first = relay::record(
      {.kind = record_kind::allocation,
       .detail = static_cast<std::uint8_t>(heap_of(seen)),
       .of = tag,
       .time = microseconds_now()},
      std::array{length_of(seen), std::uint64_t{seen.n_samples}, thread}, stack.frames().size());
  if (send(to, first, stack.frames())) {
    flush_late(to);
    return tag;
  }
  traced_blocks.release(tag);
  count_lost(*c);
  return 0;
}

enum class followed : std::uint8_t { foreign, pushed, late };

/// A later event of a block; foreign: its recording is not this process's.
followed follow_up(std::uint32_t tag, record_kind kind, std::uint32_t late_bit) noexcept {
  const relay_use use;
  relay::channel* const c = use.channel();
  relay_session& s = the_relay;
  traced_block& block = traced_blocks[tag];
  if (c == nullptr || block.session != s.number.load(std::memory_order_relaxed)) {
    return followed::foreign;
  }
  const std::uint64_t now = microseconds_now();
  // This event must not overtake one that is late already.
  if (block.late.load(std::memory_order_acquire) == 0 &&
      send_later_event(use.target(), kind, tag, now)) {
    flush_late(use.target());
    return followed::pushed;
  }
  s.late.add(tag, late_bit, now);
  return followed::late;
}

bool promoted(engine::observer_tag tag) noexcept {
  follow_up(tag, record_kind::promotion, traced_block::late_promotion);
  return true;
}

void freed(engine::observer_tag tag, bool) noexcept {
  const followed how = follow_up(tag, record_kind::collection, traced_block::late_collection);
  if (how == followed::late) return;
  if (how == followed::foreign && traced_blocks[tag].late.load(std::memory_order_acquire) != 0) {
    // Of a recorder that has left. But a record in the list of late events must not change; the
    // next recorder, who does not know the tag, ignores them.
    the_relay.late.add(tag, traced_block::late_collection, 0);
    return;
  }
  spare_tag.release(traced_blocks, tag, engine::current.keeps);
}

void interrupted(engine::raised_interrupt const& what) noexcept {
  const relay_use use;
  relay::channel* const c = use.channel();
  if (c == nullptr) return;
  const captured_stack stack(what.frame, frames_of_interrupt);
  the_relay.modules.announce(stack.frames(), use.target(), &send);
  const auto first =
      relay::record({.kind = record_kind::interrupt,
                     .detail = what.kind,
                     .of = static_cast<std::uint32_t>(gettid()),
                     .time = microseconds_now()},
                    std::array{static_cast<std::uint64_t>(what.allowed),
                               static_cast<std::uint64_t>(what.measured), what.deferrals},
                    stack.frames().size());
  if (!send(use.target(), first, stack.frames())) count_lost(*c);
}

constexpr engine::observer functions{
    .allocated = &allocated, .promoted = &promoted, .freed = &freed, .interrupted = &interrupted};

void give_back_spare_tag() noexcept { spare_tag.give_back(traced_blocks); }

/// This thread has left a push by a jump: left_by_jump.hpp.
void forget_sending() noexcept { sending = 0; }

}  // namespace

void install_observer() noexcept {
  static constinit std::atomic<bool> installed{false};
  if (installed.load(std::memory_order_acquire)) return;
  // Two threads may be here. They store the same, each before it sets a rate.
  engine::install_observer(engine::observer_slot::trace, functions);
  engine::on_thread_exit(&give_back_spare_tag);
  engine::on_left_by_jump(&forget_sending);
  installed.store(true, std::memory_order_release);
}

void forget_scratch() noexcept { scratch.forget(); }

void exit_began() noexcept {
  const relay_use use;
  if (use.channel() != nullptr) {
    send_later_event(use.target(), record_kind::exit_began, 0, microseconds_now());
  }
}

void note_fault(char const* headline) noexcept {
  const engine::muted_section muted;
  const relay_use use;
  if (use.channel() == nullptr) return;
  std::array<std::uint64_t, 32> text{};
  const std::size_t length = std::min(std::strlen(headline), sizeof text - 1);
  std::memcpy(text.data(), headline, length);
  const std::size_t used = length / 8 + 1;
  send(use.target(),
       relay::record<0>({.kind = record_kind::fault,
                         .of = static_cast<std::uint32_t>(length),
                         .time = microseconds_now()},
                        {}, used),
       words(text).first(used));
}

void flush_late_events() noexcept {
  const engine::muted_section muted;
  const relay_use use;
  if (use.channel() != nullptr) flush_late(use.target());
}

void take_late_events(records::record_sink& to) noexcept {
  for (std::uint32_t tag = the_relay.late.take(); tag != 0;) {
    traced_block& block = traced_blocks[tag];
    const std::uint32_t next = block.next_late;
    // From the exchange on it may be in the list again.
    const std::uint32_t what = block.late.exchange(0, std::memory_order_acq_rel);
    const auto take = [&](record_kind kind, std::uint64_t time) {
      to.take({.head = {.kind = kind, .of = tag, .time = time}, .body = {}});
    };
    if ((what & traced_block::late_promotion) != 0) take(record_kind::promotion, block.promoted_at);
    if ((what & traced_block::late_collection) != 0) {
      take(record_kind::collection, block.collected_at);
      traced_blocks.release(tag);
    }
    tag = next;
  }
}

void flush_late_at_exit() noexcept {
  const auto last = [](void*) { flush_late_events(); };
  // See `finish_after_everything`.
  abi::__cxa_atexit(last, nullptr, nullptr);
}

}  // namespace memprof::tracer
