// SPDX-License-Identifier: MIT
/// \file
/// What was hit: by which limit a scope is interrupted, and the amounts for its error.
#pragma once

#include <cstdint>

#include "memprof/interrupted.hpp"

#include "engine/engine.hpp"

namespace memprof::inline v0::detail {

/// What the open request would hit. It becomes a hit when the request is granted or refused here,
/// and nothing if the allocator has no such block: check.hpp.
struct found_hit {
  bool any = false;
  bool by_budget = false;  ///< for all its runs
  limit_kind kind{};
  std::int64_t limit = 0, measured = 0, asked = 0;
};

/// Of one scope. `happened` decides the result; a token or deadline, and any limit of a task that
/// pauses instead, is `stopping` until it is delivered. Changed here and in hit.cpp alone.
struct hit_state {
  bool happened = false;
  bool stopping = false;
  limit_kind kind{};
  std::int64_t position = 0;  ///< of the thread's words, when it began to be pending
  std::int64_t request = 0;   ///< words, of the allocation that found it, if it was granted
  std::int64_t asked = 0;     ///< bytes, of that allocation, if it was not
  std::int64_t limit = 0;
  std::int64_t measured = 0;
  char const* reason = nullptr;
  found_hit found;

  [[nodiscard]] bool pending() const noexcept { return happened || stopping; }

  void describe(limit_kind what, char const* why) noexcept {
    kind = what;
    reason = why;
  }
  void describe(limit_kind what, std::int64_t allowed, std::int64_t amount) noexcept {
    kind = what;
    limit = allowed;
    measured = amount;
  }
  void find(found_hit const& f) noexcept { found = f; }
  void forget_found() noexcept { found.any = false; }
  /// What is described already stops the task.
  void stop(engine::event const& e) noexcept;
  /// The same, and decides the result: before or after the task.
  void happen_outside_events() noexcept;
  /// What was found happens; a task that pauses instead is only stopped.
  void publish(engine::event const& e, bool pauses_instead) noexcept;
  void inject() noexcept {
    if (!pending()) position = engine::current.position;
    happened = true;
  }
  /// The task feels it: what only stopped it decides the result from now on.
  void confirm() noexcept { happened = true; }
  void confirm_stop() noexcept { happened |= stopping; }
  /// A task that was paused goes on: the monitor has seen it.
  void forgive() noexcept { stopping = false; }
  /// A paused task is cancelled; `why` if nothing has stopped it before.
  void cancel(char const* why) noexcept {
    if (!stopping) describe(limit_kind::token, why);
    stopping = false;
    happened = true;
  }
  void raise_limit(std::int64_t allowed) noexcept { limit = allowed; }

  void shift(std::int64_t by) noexcept { position += by; }
  /// The allocation that ended at `after` was granted.
  void grant(std::int64_t after) noexcept {
    if (position == after) asked = 0;
  }
  /// Nobody gets it. `paused`: as of counted_amounts.
  void withdraw(std::int64_t after, std::int64_t words, bool paused) noexcept {
    const bool here = position == after;
    forget_found();
    if (here && pending()) request = 0;
    if (here != paused) position += paused ? words : -words;
  }

 private:
  void begin(engine::event const& e) noexcept;
};

}  // namespace memprof::inline v0::detail
