// SPDX-License-Identifier: MIT
#include "engine/left_by_jump.hpp"

#include "callstack/callstack.hpp"
#include "engine/estimate_audit.hpp"
#include "engine/event.hpp"
#include "engine/handler_list.hpp"

namespace memprof::engine {
namespace {

constinit handler_list left_handlers;

bool on_own_stack(void const* at) noexcept {
  return callstack::is_on_own_stack(reinterpret_cast<std::uintptr_t>(at));
}

/// Ends the event, or the muted section, that the thread was in.
void end_muting() noexcept {
  current.countdown = muted_countdown;  // a signal handler may allocate meanwhile
  current.notifying = false;
  current.position += current.armed - current.held_countdown;
  current.armed = current.held_countdown;
  forgo_block();
  current.muted = 1;
  callstack::forget_walk();
  left_handlers.call();
  close_event();
}

}  // namespace

[[gnu::cold, gnu::noinline]] bool is_still_muted(void const* frame, std::int64_t words) noexcept {
  if (frame <= current.muted_by || !on_own_stack(frame) || !on_own_stack(current.muted_by)) {
    current.countdown = muted_countdown;
    return true;
  }
  end_muting();
  current.countdown -= words;
  return false;
}

bool on_left_by_jump(void (*handler)()) noexcept { return left_handlers.add(handler); }

}  // namespace memprof::engine
