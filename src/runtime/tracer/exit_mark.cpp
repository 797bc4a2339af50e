// SPDX-License-Identifier: MIT
#include "tracer/exit_mark.hpp"

#include <atomic>
#include <cstdlib>
#include <unistd.h>

#include "engine/engine.hpp"
#include "tracer/observer.hpp"
#include "tracer/relay_session.hpp"

namespace memprof::tracer {
namespace {

constinit std::atomic<bool> marked{false};
constinit std::atomic<bool> handler_set{false};

bool is_traced_here() noexcept {
  const relay_use use;
  relay::channel const* const c = use.channel();
  return c != nullptr && c->process == getpid();
}

}  // namespace

void mark_exit() noexcept {
  const engine::muted_section muted;
  if (!is_traced_here() || marked.exchange(true, std::memory_order_relaxed)) return;
  exit_began();
}

void mark_exit_by_handler() noexcept {
  const engine::muted_section muted;
  if (handler_set.exchange(true, std::memory_order_relaxed)) return;
  std::atexit(&mark_exit);
  at_quick_exit(&mark_exit);
}

}  // namespace memprof::tracer
