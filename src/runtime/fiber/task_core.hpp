// SPDX-License-Identifier: MIT
/// \file
/// The state of a task.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>

#include "memprof/fiber.hpp"

#include "fiber/context.hpp"
#include "fiber/stack_memory.hpp"
#include "limits/limits.hpp"

namespace memprof::inline v0::detail {

/// Lives where the task was constructed, or for ever if it was abandoned: the frames of its
/// function refer to it.
struct task_core : suspension {
  task_core(memprof::limits&& l, task_options const& o)
      : bounds(std::move(l)), options(o), request(make_request("task", bounds)) {
    request.pausable = this;
  }

  memprof::limits bounds;
  task_options options;
  scope_request request;  ///< refers to `bounds`
  std::unique_ptr<task_body> body{};

  task_state state = task_state::not_started;
  bool still_over = false;  ///< paused at a limit that was raised, but not enough
  std::uint64_t home = 0;   ///< the thread that resumed it first; 0: none yet
  fiber::stack memory{};
  fiber::context flow{};

  // When it has ended.
  run_report report{};
  std::exception_ptr failure{};  ///< what its function threw, unless a limit was hit
  bool taken = false;            ///< the result

  [[nodiscard]] bool done() const noexcept {
    return state == task_state::finished || state == task_state::interrupted;
  }
};

/// Runs the task until it pauses or ends, with a pause after `quantum` words (`never`: without).
///
/// The task is paused, or not started and `has_stack`. Changes its state.
void run_until_pause(task_core& c, std::int64_t quantum) noexcept;

/// Obtains the stack of a task that was not started, makes this thread its home.
/// \throws std::bad_alloc without memory.
void give_stack(task_core& c);

/// Whether this thread may run it.
bool is_at_home(task_core const& c) noexcept;

}  // namespace memprof::inline v0::detail
