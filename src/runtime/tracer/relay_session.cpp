// SPDX-License-Identifier: MIT
#include "tracer/relay_session.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.hpp"
#include "engine/engine.hpp"
#include "tracer/attachment.hpp"
#include "tracer/file_name.hpp"
#include "tracer/observer.hpp"
#include "tracer/program_path.hpp"
#include "tracer/session.hpp"
#include "tracer/thread_number.hpp"

namespace memprof::tracer {

constinit relay_session the_relay;

namespace {

constexpr std::int64_t relay_patience_us = 1'000'000;

/// Uses that are open on this thread.
constinit thread_local unsigned open_uses = 0;

void unmap_if_unused(relay_memory& m) noexcept {
  if (m.users.load(std::memory_order_seq_cst) != 0) return;
  if (!m.retired.exchange(false, std::memory_order_seq_cst)) return;
  relay::unmap_area({m.area.load(std::memory_order_relaxed), m.channels});
  m.area.store(nullptr, std::memory_order_release);
}

/// One that is free; if there is none, one whose users will not come back. Its old memory then
/// stays mapped for ever.
relay_memory& take_memory(relay::mapped_area const& mapped) noexcept {
  relay_memory* taken = nullptr;
  for (relay_memory& m : the_relay.memories) {
    if (m.area.load(std::memory_order_acquire) == nullptr) taken = &m;
  }
  for (relay_memory& m : the_relay.memories) {
    if (taken == nullptr && m.retired.exchange(false, std::memory_order_seq_cst)) taken = &m;
  }
  if (taken == nullptr) taken = &the_relay.memories[0];  // of the recorder that started us
  taken->channels = mapped.channels;
  taken->area.store(mapped.shared, std::memory_order_relaxed);
  return *taken;
}

}  // namespace

relay::channel* open_channel(relay::mapped_area const& in, double rate) noexcept {
  relay::channel* const c = relay::take_channel(in);
  if (c == nullptr) return nullptr;
  const relay::text_words path(program_path());
  const auto first = relay::record(
      {.kind = relay::record_kind::begin,
       .detail =
           engine::guard_wanted.load(std::memory_order_relaxed) ? std::uint8_t{1} : std::uint8_t{0},
       .of = path.bytes(),
       .time = microseconds_now()},
      std::array<std::uint64_t, relay::begin_words>{std::bit_cast<std::uint64_t>(rate),
                                                    engine::process_seed()},
      path.words().size());
  // A fresh ring has room for all of this.
  const auto push = [](relay_target const& to, std::span<std::uint64_t const> head,
                       std::span<std::uint64_t const> rest) noexcept {
    return to.channel.events.push(head, rest);
  };
  const relay_target to{in.shared->shared, *c};
  push(to, first, path.words());
  announced_modules::begin(to, push);
  return c;
}

namespace {

void use_channel(relay::channel& c) noexcept {
  relay_session& s = the_relay;
  s.patience.store(relay_patience_us, std::memory_order_relaxed);
  s.number.fetch_add(1, std::memory_order_relaxed);
  s.channel.store(&c, std::memory_order_release);
}

/// The child has the parent's tags, late events and channel: none of them is its own. Nor has it
/// other threads, which could use the memory.
///
/// \param counted the parent has counted the fork.
void continue_in_child(bool counted) noexcept {
  relay_session& s = the_relay;
  const bool was_recorded = s.channel.load(std::memory_order_relaxed) != nullptr;
  s.channel.store(nullptr, std::memory_order_relaxed);
  for (relay_memory& m : s.memories) {
    if (open_uses == 0) m.users.store(0, std::memory_order_relaxed);
    unmap_if_unused(m);
  }
  s.late.forget();
  s.modules.forget();
  forget_scratch();
  bool goes_on = false;
  if (relay_memory const* const m = s.current.load(std::memory_order_relaxed)) {
    const relay::mapped_area mapped{.shared = m->area, .channels = m->channels};
    relay::control& shared = mapped.shared->shared;
    if (shared.children == 0) {
      relay::note_other_process(mapped);
    } else if (was_recorded && shared.closed.load(std::memory_order_relaxed) == 0) {
      relay::channel* const c = open_channel(mapped, s.rate);
      if (c != nullptr) use_channel(*c);
      goes_on = c != nullptr;
    }
    if (counted) shared.forks_reported.fetch_add(1, std::memory_order_release);
  }
  if (was_recorded && !goes_on) {
    engine::set_observer_rate(engine::observer_slot::trace, 0.0);
  }
  attachment_in_child(goes_on);
  session_in_child();
  if (s.ours != nullptr) s.ours->store(1, std::memory_order_release);
}

void relay_before_fork() noexcept {
  const relay_use use;
  if (use.area() != nullptr) use.area()->shared.forks.fetch_add(1, std::memory_order_relaxed);
}

void relay_after_fork_in_child() noexcept {
  relay_session& s = the_relay;
  // Another thread may have been at it: nobody is now.
  if (s.ours != nullptr) s.ours->store(0, std::memory_order_relaxed);
  continue_in_child(true);
}

void* page_wiped_in_children() noexcept {
#ifdef MADV_WIPEONFORK
  void* const page = base::map_pages(sizeof(std::uint32_t));
  const int saved_errno = errno;
  const bool wiped = page != nullptr && madvise(page, base::whole_pages(1), MADV_WIPEONFORK) == 0;
  errno = saved_errno;
  return wiped ? page : nullptr;
#else
  return nullptr;
#endif
}

bool is_meant(relay::control const& shared) noexcept {
  return shared.children != 0 || shared.first_process.load(std::memory_order_relaxed) ==
                                     static_cast<std::int32_t>(getpid());
}

bool begin_relay(double rate, std::size_t callstack_size) noexcept {
  const engine::muted_section muted;
  const relay::mapped_area to = relay::attach();
  if (!to || to.shared->shared.closed.load(std::memory_order_relaxed) != 0) return false;
  if (!is_meant(to.shared->shared)) {
    relay::note_other_process(to);
    return false;
  }
  watch_forks();
  relay::channel* const c = open_channel(to, rate);
  if (c == nullptr) return false;
  publish(to, *c, {.rate = rate, .callstack_size = callstack_size, .last_look = first_sample});
  note_recorder(to.recorder);
  flush_late_at_exit();
  return true;
}

}  // namespace

void relay_use::enter(relay_memory& m) noexcept {
  ++open_uses;
  hold(m);
}

void relay_use::leave(relay_memory& m) noexcept {
  --open_uses;
  let_go(m);
}

void watch_forks() noexcept {
  relay_session& s = the_relay;
  find_program_path();
  if (s.ours == nullptr) {
    if (void* const page = page_wiped_in_children()) {
      s.ours = ::new (page) std::atomic<std::uint32_t>{1};
    }
  }
  engine::before_fork(&relay_before_fork);
  engine::on_fork_in_child(&relay_after_fork_in_child);
}

relay_memory& publish(relay::mapped_area const& to, relay::channel& c,
                      relay_settings const& how) noexcept {
  relay_session& s = the_relay;
  s.rate = how.rate;
  s.callstack_size.store(how.callstack_size, std::memory_order_relaxed);
  s.last_look.store(how.last_look, std::memory_order_relaxed);
  s.modules.forget();
  use_channel(c);
  relay_memory& memory = take_memory(to);
  s.current.store(&memory, std::memory_order_seq_cst);
  install_observer();
  engine::set_observer_rate(engine::observer_slot::trace, how.rate);
  return memory;
}

void hold(relay_memory& m) noexcept { m.users.fetch_add(1, std::memory_order_seq_cst); }

void let_go(relay_memory& m) noexcept {
  if (m.users.fetch_sub(1, std::memory_order_seq_cst) == 1) unmap_if_unused(m);
}

void leave_recorder() noexcept {
  relay_session& s = the_relay;
  if (s.channel.exchange(nullptr, std::memory_order_relaxed) != nullptr) {
    engine::set_observer_rate(engine::observer_slot::trace, 0.0);
  }
  if (!s.detachable.load(std::memory_order_relaxed)) return;
  relay_memory* const m = s.current.exchange(nullptr, std::memory_order_seq_cst);
  if (m == nullptr) return;
  m->retired.store(true, std::memory_order_seq_cst);
  unmap_if_unused(*m);
}

void forget_starting_recorder() noexcept {
  leave_recorder();
  the_relay.current.store(nullptr, std::memory_order_seq_cst);
}

bool start_relay(double rate, std::size_t callstack_size) noexcept {
  if (!begin_relay(rate, callstack_size)) return false;
  engine::rearm();  // this thread is sampled from here on
  return true;
}

void relay_in_unseen_child() noexcept {
  constexpr std::uint32_t busy = 2;
  std::uint32_t seen = 0;
  if (!the_relay.ours->compare_exchange_strong(seen, busy, std::memory_order_acquire)) {
    return;  // another thread is at it, which has set the channel to null, or will soon
  }
  continue_in_child(false);
}

}  // namespace memprof::tracer
