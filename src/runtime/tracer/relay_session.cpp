// SPDX-License-Identifier: MIT
#include "tracer/relay_session.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.hpp"
#include "engine/engine.hpp"
#include "tracer/file_name.hpp"
#include "tracer/observer.hpp"
#include "tracer/program_path.hpp"
#include "tracer/relay_observer.hpp"

namespace memprof::tracer {

constinit relay_session the_relay;

namespace {

constexpr std::int64_t relay_patience_us = 1'000'000;

/// Takes a channel for this process, and says who it is. False: there is none.
bool open_channel() noexcept {
  relay_session& s = the_relay;
  relay::channel* const c = relay::take_channel(s.area);
  if (c == nullptr) return false;
  const relay::text_words path(program_path());
  const auto first = relay::record(
      {.kind = relay::record_kind::begin, .of = path.bytes(), .time = microseconds_now()},
      std::array<std::uint64_t, relay::begin_words>{std::bit_cast<std::uint64_t>(s.rate),
                                                    engine::process_seed()},
      path.words().size());
  // A fresh ring has room for all of this.
  const auto push = [](relay::channel& to, std::span<std::uint64_t const> head,
                       std::span<std::uint64_t const> rest) noexcept {
    return to.events.push(head, rest);
  };
  push(*c, first, path.words());
  announced_modules::begin(*c, push);
  s.patience.store(relay_patience_us, std::memory_order_relaxed);
  s.number.fetch_add(1, std::memory_order_relaxed);
  s.channel.store(c, std::memory_order_release);
  return true;
}

/// The child has the parent's tags, late events and channel: none of them is its own.
void continue_in_child() noexcept {
  relay_session& s = the_relay;
  const bool was_recorded = s.channel.load(std::memory_order_relaxed) != nullptr;
  s.channel.store(nullptr, std::memory_order_relaxed);
  s.late.forget();
  s.modules.forget();
  forget_scratch();
  relay::control const& shared = s.area.shared->shared;
  bool goes_on = false;
  if (shared.children == 0) {
    relay::note_other_process(s.area);
  } else if (was_recorded && shared.closed.load(std::memory_order_relaxed) == 0) {
    goes_on = open_channel();
  }
  if (was_recorded && !goes_on) {
    engine::set_observer_rate(engine::observer_slot::trace, 0.0);
  }
  if (s.ours != nullptr) s.ours->store(1, std::memory_order_release);
}

void relay_before_fork() noexcept {
  the_relay.area.shared->shared.forks.fetch_add(1, std::memory_order_relaxed);
}

void relay_after_fork_in_child() noexcept {
  // Another thread may have been at it: nobody is now.
  if (the_relay.ours != nullptr) the_relay.ours->store(0, std::memory_order_relaxed);
  continue_in_child();
  the_relay.area.shared->shared.forks_reported.fetch_add(1, std::memory_order_release);
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
  relay_session& s = the_relay;
  s.area = relay::attach();
  if (!s.area || s.area.shared->shared.closed.load(std::memory_order_relaxed) != 0) return false;
  if (!is_meant(s.area.shared->shared)) {
    relay::note_other_process(s.area);
    return false;
  }
  s.rate = rate;
  s.callstack_size = callstack_size;
  find_program_path();
  if (!open_channel()) return false;
  if (void* const page = page_wiped_in_children()) {
    s.ours = ::new (page) std::atomic<std::uint32_t>{1};
  }
  engine::install_observer(engine::observer_slot::trace, relay_observer_functions());
  pthread_atfork(&relay_before_fork, nullptr, &relay_after_fork_in_child);
  flush_late_at_exit();
  engine::set_observer_rate(engine::observer_slot::trace, rate);
  return true;
}

}  // namespace

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
  continue_in_child();
}

}  // namespace memprof::tracer
