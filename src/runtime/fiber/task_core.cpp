// SPDX-License-Identifier: MIT
#include "fiber/task_core.hpp"

#include <atomic>
#include <new>

#include "engine/engine.hpp"
#include "fiber/overflow.hpp"

namespace memprof::inline v0::detail {
namespace {

constinit std::atomic<std::uint64_t> threads{0};
constinit thread_local std::uint64_t own_id = 0;

// Not pthread_self or gettid: later threads get the same ones. Not inlined: see context.cpp.
[[gnu::noinline]] std::uint64_t thread_id() noexcept {
  asm volatile("" ::: "memory");
  if (own_id == 0) own_id = 1 + threads.fetch_add(1, std::memory_order_relaxed);
  return own_id;
}

void call_body(void* context) { static_cast<task_core*>(context)->body->run(); }

/// The first function on the task's stack. `run` is the boundary that its interrupt reaches.
void task_main(void* argument) noexcept {
  auto& c = *static_cast<task_core*>(argument);
  engine::close_event();  // the resumer's
  try {
    c.report = run(c.request, &call_body, &c);
  } catch (...) {
    c.failure = std::current_exception();
  }
  engine::leave_stack();
}

void go_to_resumer(suspension& s) noexcept { static_cast<task_core&>(s).flow.leave(); }

}  // namespace

bool is_at_home(task_core const& c) noexcept {
  return c.home == 0 || c.options.any_thread || c.home == thread_id();
}

void give_stack(task_core& c) {
  c.memory = fiber::obtain_stack(static_cast<std::size_t>(c.options.stack_size.count()),
                                 c.options.guard_page, c.options.pool_stack);
  if (c.memory.low == nullptr) throw std::bad_alloc();
  c.stack_low = reinterpret_cast<std::uintptr_t>(c.memory.low);
  c.stack_high = reinterpret_cast<std::uintptr_t>(c.memory.top());
  c.flow = fiber::context(c.memory, &task_main, &c);
  c.switch_to_resumer = &go_to_resumer;
  c.home = thread_id();
}

// A switch changes these parts of the thread's state: the muting of this flow of control (engine),
// its scopes (limits), its exceptions and errno (context).
void run_until_pause(task_core& c, std::int64_t quantum) noexcept {
  fiber::prepare_thread_for_overflow();
  c.state = task_state::running;
  c.quantum = quantum;
  const bool in_callback = engine::current.muted > 0;
  const std::uint32_t muted = engine::leave_stack();
  link(c, in_callback);
  const bool ended = c.flow.enter();
  unlink(c);
  engine::return_to_stack(muted);
  if (c.state == task_state::abandoned) return;  // by itself: it destroyed its own object
  if (!ended) {
    c.state = task_state::paused;
    return;
  }
  fiber::release_stack(c.memory, c.options.pool_stack);
  c.memory = {};
  engine::release(c.bridge);
  c.bridge = nullptr;
  c.state = c.report.error ? task_state::interrupted : task_state::finished;
}

}  // namespace memprof::inline v0::detail
