// SPDX-License-Identifier: MIT
#include "tracer/trace_observer.hpp"

#include <atomic>

#include "engine/engine.hpp"
#include "tracer/observer.hpp"
#include "tracer/relay_observer.hpp"
#include "tracer/relay_session.hpp"
#include "tracer/traced_block.hpp"

namespace memprof::tracer {
namespace {

engine::observer const& now() noexcept {
  return the_relay.current.load(std::memory_order_relaxed) != nullptr ? relay_observer_functions()
                                                                      : observer_functions();
}

/// Whose trace has the block's allocation, although that trace may have ended.
engine::observer const& of(engine::observer_tag tag) noexcept {
  return traced_blocks[tag].session > relay_number ? relay_observer_functions()
                                                   : observer_functions();
}

engine::observer_tag trace_allocated(engine::observed_block const& seen) noexcept {
  return now().allocated(seen);
}
bool trace_promoted(engine::observer_tag tag) noexcept { return of(tag).promoted(tag); }
void trace_freed(engine::observer_tag tag, bool major) noexcept { of(tag).freed(tag, major); }
void trace_interrupted(engine::raised_interrupt const& what) noexcept { now().interrupted(what); }

constexpr engine::observer trace_functions{.allocated = &trace_allocated,
                                           .promoted = &trace_promoted,
                                           .freed = &trace_freed,
                                           .interrupted = &trace_interrupted};

}  // namespace

void install_trace_observer() noexcept {
  static constinit std::atomic<bool> installed{false};
  if (installed.load(std::memory_order_acquire)) return;
  // Two threads may be here. They store the same, each before it sets a rate.
  engine::install_observer(engine::observer_slot::trace, trace_functions);
  engine::on_thread_exit(&give_back_spare_tag);
  engine::on_left_by_jump(&forget_sending);
  engine::on_left_by_jump(&forget_enqueuing);
  installed.store(true, std::memory_order_release);
}

}  // namespace memprof::tracer
