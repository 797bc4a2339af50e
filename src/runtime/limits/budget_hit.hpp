// SPDX-License-Identifier: MIT
/// \file
/// The hit by which all runs of a budget are interrupted: the first one, with its amounts.
#pragma once

#include <atomic>
#include <cstdint>

namespace memprof::inline v0::detail {

/// Lock-free: who comes while another thread writes goes on as if there were no hit yet, and finds
/// it at its next check. (In a child that was forked in between only that is lost: each run still
/// hits what it finds by itself.)
class budget_hit {
 public:
  struct found {
    int kind = 0;  ///< limit_kind
    std::int64_t limit = 0;
    std::int64_t measured = 0;
  };

  /// Takes note of a hit, if it is the first.
  void claim(found const& f) noexcept {
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    if (phase_of(seen) != none) return;
    if (!state_.compare_exchange_strong(seen, seen | writing, std::memory_order_acq_rel)) return;
    limit_.store(f.limit, std::memory_order_relaxed);
    measured_.store(f.measured, std::memory_order_relaxed);
    state_.store(seen | static_cast<std::uint64_t>(1 + f.kind), std::memory_order_release);
  }

  /// True and the hit, if there is one.
  bool read(found& f) const noexcept {
    const std::uint64_t seen = state_.load(std::memory_order_acquire);
    if (phase_of(seen) == none || phase_of(seen) == writing) return false;
    f = {.kind = static_cast<int>(phase_of(seen)) - 1,
         .limit = limit_.load(std::memory_order_relaxed),
         .measured = measured_.load(std::memory_order_relaxed)};
    // The amounts are of no later hit.
    std::atomic_thread_fence(std::memory_order_acquire);
    return state_.load(std::memory_order_relaxed) == seen;
  }

  /// Forgets a hit of another kind than this one.
  void forget_unless(int kind) noexcept {
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    const std::uint64_t phase = phase_of(seen);
    if (phase == none || phase == writing || phase == static_cast<std::uint64_t>(1 + kind)) return;
    state_.compare_exchange_strong(seen, (seen | phase_mask) + 1, std::memory_order_acq_rel);
  }

 private:
  static constexpr std::uint64_t phase_mask = 15, none = 0, writing = 15;
  static constexpr std::uint64_t phase_of(std::uint64_t state) noexcept {
    return state & phase_mask;
  }

  /// | hits that were forgotten: 60 | phase: 4 |. The phase is `none`, `writing`, or 1 + the kind,
  /// which publishes the amounts. For instance 0x22: two were forgotten, and the limit on memory
  /// (kind 1) is hit.
  std::atomic<std::uint64_t> state_{0};
  std::atomic<std::int64_t> limit_{0};
  std::atomic<std::int64_t> measured_{0};
};

}  // namespace memprof::inline v0::detail
