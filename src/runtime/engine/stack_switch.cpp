// SPDX-License-Identifier: MIT
#include "engine/stack_switch.hpp"

#include <new>

#include "engine/event.hpp"
#include "engine/thread_state.hpp"

namespace memprof::engine {

std::uint32_t leave_stack() noexcept {
  const std::uint32_t depth = current.muted;
  if (depth == 0) {
    // The other stack ends this event.
    alignas(event) unsigned char storage[sizeof(event)];
    ::new (static_cast<void*>(storage)) event;
    return depth;
  }
  current.position += current.armed - current.held_countdown;
  current.armed = current.held_countdown;
  current.muted = 1;
  return depth;
}

void return_to_stack(std::uint32_t depth) noexcept {
  close_event();
  if (depth == 0) return;
  current.held_countdown = current.countdown;
  current.countdown = muted_countdown;
  current.muted = depth;
  current.muted_by = unknown_place;
}

}  // namespace memprof::engine
