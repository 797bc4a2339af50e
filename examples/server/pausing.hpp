// SPDX-License-Identifier: MIT
/// \file
/// Runs a request as a memprof::task: at its soft budget it is paused instead of interrupted, and
/// goes on when memory is free again.
#pragma once

#include <memprof/fiber.hpp>

#include "counters.hpp"
#include "reserve.hpp"

namespace example::server {

/// Runs f under `limits`, where `limits.memory` is the most that it may ever hold. From `soft` on
/// it needs the difference from the reserve, and is paused until it has it.
///
/// returns     as run_limited(limits, f), and throws what that would.
template <class F>
auto run_pausing(memprof::limits limits, memprof::bytes soft, memory_reserve& reserve,
                 request_counters& counters, F&& f) {
  auto const most = *limits.memory;
  auto const start = std::chrono::steady_clock::now();
  auto const is_over = [&, token = limits.token, time = limits.time] {
    return (token && token->is_set()) || (time && std::chrono::steady_clock::now() - start > *time);
  };
  struct share {
    memory_reserve& reserve;
    memprof::bytes taken{};
    ~share() {
      if (taken > memprof::bytes{}) reserve.give(taken);
    }
  } extra{reserve};

  bool const pauses = soft < most;
  if (pauses) limits.memory = soft;
  // The parser recurses: more stack than the default. The task stays on this very thread.
  memprof::task t(std::move(limits), {.stack_size = memprof::operator""_MiB(1)},
                  std::forward<F>(f));
  bool at_soft_budget = pauses;
  while (t.resume() == memprof::task_state::paused) {
    if (at_soft_budget && t.pause().kind == memprof::limit_kind::memory) {
      at_soft_budget = false;
      counters.add_pause();
      if (reserve.take(most - soft, is_over)) extra.taken = most - soft;
      // If it waited in vain, its token or deadline stops it at its next allocation.
      t.raise_limit(most);
    } else {
      while (!t.done()) t.cancel();
      break;
    }
  }
  return t.result();
}

}  // namespace example::server
