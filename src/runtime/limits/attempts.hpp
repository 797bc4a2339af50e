// SPDX-License-Identifier: MIT
/// \file
/// How an interrupt is delivered: when it may be tried, and what became of the attempts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "memprof/detail/delivery_schedule.hpp"
#include "memprof/units.hpp"

#include "delivery/delivery.hpp"
#include "limits/positions.hpp"

namespace memprof::inline v0::detail {

/// Of one scope. An attempt is due once the thread is beyond `next`; a refusal moves that away, the
/// more so the more came before, and a delivery leaves the task its grace. Changed here alone.
struct delivery_attempts {
  std::int64_t next = at_once;
  int backoff = 0;        ///< refusals since the last delivery
  bool refused = false;   ///< the last attempt was deferred
  bool injected = false;  ///< by interruption testing, and not delivered since
  std::uint64_t deliveries = 0;
  std::uint64_t deferrals = 0;
  std::uint64_t refusals = 0;  ///< by malloc
  std::int64_t malloc_grace_ends = at_once;
  char const* last_deferral = nullptr;
  std::uintptr_t last_place = 0;  ///< code that caused the last deferral; 0 if none did
  int library_refusals = 0;       ///< because of the standard library's handlers

  void make_due() noexcept { next = at_once; }
  void start_anew() noexcept {
    next = at_once;
    backoff = 0;
  }
  void inject() noexcept {
    injected = true;
    next = at_once;
  }
  /// In a masked region (no frame was looked at), or after a pre-flight.
  void postpone(std::int64_t position, std::uint32_t frames = 0) noexcept {
    refused = true;
    next = position + backoff_words(std::min(backoff++, longest_backoff_doublings), frames);
  }
  void note_deferral(delivery::decision const& decision) noexcept {
    ++deferrals;
    last_deferral = decision.reason;
    last_place = decision.place;
  }
  void defer(std::int64_t position, delivery::decision const& decision) noexcept {
    note_deferral(decision);
    library_refusals += decision.library_handler ? 1 : 0;
    postpone(position, decision.frames);
  }
  void deliver(std::int64_t position, words grace) noexcept {
    ++deliveries;
    injected = refused = false;
    backoff = 0;
    next = position + grace_after(static_cast<std::int64_t>(deliveries), grace.count());
  }
  /// Of a part of a task, after `before` deliveries in parts before it: the rest of the task may
  /// end.
  void give_grace(std::int64_t position, std::int64_t before, words grace) noexcept {
    if (before > 0) next = position + grace_after(std::min<std::int64_t>(before, 2), grace.count());
  }
  void refuse_malloc(std::int64_t position, words grace) noexcept {
    ++refusals;
    malloc_grace_ends = position + grace.count();
  }
  /// What malloc_policy::refuse_with_grace leaves to a task that has got null.
  [[nodiscard]] bool serves_malloc(std::int64_t position) const noexcept {
    return position <= malloc_grace_ends;
  }
  /// Positions have moved, or grace was used up. What is due stays so.
  void shift(std::int64_t by) noexcept {
    if (next > at_once) next += by;
    if (malloc_grace_ends > at_once) malloc_grace_ends += by;
  }
  /// Takes back an allocation that ended at `after`. From there on, which is a grace of 0: what is
  /// refused takes up nothing of it.
  void withdraw(std::int64_t after, std::int64_t words) noexcept {
    if (next >= after) next -= words;
  }
};

}  // namespace memprof::inline v0::detail
