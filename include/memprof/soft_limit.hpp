// SPDX-License-Identifier: MIT
/// \file
/// Soft limits: a callback at a fraction of a limit, before the limit is reached.
///
///     memprof::limits l{.memory = 64_MiB};
///     l.soft.push_back({0.8, [&](memprof::soft_limit_notice&) { page_cache.clear(); }});
#pragma once

#include <functional>

#include "memprof/detail/export.hpp"
#include "memprof/estimate.hpp"
#include "memprof/interrupted.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// The argument of a soft limit's callback: what was reached, and a way to raise the limit.
class soft_limit_notice {
 public:
  soft_limit_notice(limit_kind kind, bytes limit, estimate measured) noexcept
      : kind_(kind), limit_(limit), measured_(measured) {}

  /// `allocations`, `memory` or `global_memory`.
  [[nodiscard]] limit_kind kind() const noexcept { return kind_; }
  /// The limit that is being approached, as it was when the callback was called.
  [[nodiscard]] bytes limit() const noexcept { return limit_; }
  /// The amount that reached the fraction, with its bounds.
  [[nodiscard]] estimate const& measured() const noexcept { return measured_; }

  /// Replaces the limit: that of the task, of the budget, or the process's global one. The soft
  /// limit is armed again at its fraction of the new limit.
  /// \throws std::invalid_argument if it is negative or over `max_allocation_limit`.
  MEMPROF_API void raise_limit(bytes new_limit);
  [[nodiscard]] bool raised() const noexcept { return raised_; }

 private:
  limit_kind kind_;
  bytes limit_;
  estimate measured_;
  bool raised_ = false;
};

/// A callback at a fraction of each amount that a `limits` bounds.
///
///  - `fraction`: in (0, 1].
///  - `callback`: called once for each limit whose fraction is reached, on the task's thread, at a
///    delivery point such as throwing operator new, never inside malloc or a masked region. No lock
///    of this library is held, and the thread does not sample during the call: the callback may
///    allocate, free caches, call `raise_limit`, set a token. What it throws is dropped and counted
///    (`process_counters::callback_failures`).
struct soft_limit {
  double fraction = 0.8;
  std::function<void(soft_limit_notice&)> callback;
};

}  // namespace memprof::inline v0
