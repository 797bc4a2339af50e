// SPDX-License-Identifier: MIT
/// \file
/// The hit by which all runs of a budget are interrupted: the first one, with its amounts.
#pragma once

#include <atomic>
#include <cstdint>

#include "memprof/interrupted.hpp"

namespace memprof::inline v0::detail {

/// Lock-free: who comes while another thread writes goes on as if there were no hit yet, and finds
/// it at its next check. (In a child that was forked in between only that is lost: each run still
/// hits what it finds by itself.)
class budget_hit {
 public:
  struct found {
    limit_kind kind{};
    std::int64_t limit = 0;
    std::int64_t measured = 0;
  };

  /// Takes note of a hit, if it is the first.
  void claim(found const& f) noexcept {
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    if (phase_of(seen) != phase::none) return;
    if (!state_.compare_exchange_strong(seen, in_phase(seen, phase::writing),
                                        std::memory_order_acq_rel))
      return;
    limit_.store(f.limit, std::memory_order_relaxed);
    measured_.store(f.measured, std::memory_order_relaxed);
    state_.store(in_phase(seen, phase_of(f.kind)), std::memory_order_release);
  }

  /// True and the hit, if there is one.
  bool read(found& f) const noexcept {
    const std::uint64_t seen = state_.load(std::memory_order_acquire);
    if (!is_hit(phase_of(seen))) return false;
    f = {.kind = kind_of(phase_of(seen)),
         .limit = limit_.load(std::memory_order_relaxed),
         .measured = measured_.load(std::memory_order_relaxed)};
    // The amounts are of no later hit.
    std::atomic_thread_fence(std::memory_order_acquire);
    return state_.load(std::memory_order_relaxed) == seen;
  }

  /// Forgets a hit of another kind than this one.
  void forget_unless(limit_kind kind) noexcept {
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    if (!is_hit(phase_of(seen)) || phase_of(seen) == phase_of(kind)) return;
    state_.compare_exchange_strong(seen, (seen | phase_mask) + 1, std::memory_order_acq_rel);
  }

 private:
  /// Not hit, hit by the first kind of limits and so on, or `writing`: a hit to come.
  enum class phase : std::uint8_t { none, first_kind, writing = 15 };
  static constexpr std::uint64_t phase_mask = 15;
  static constexpr phase phase_of(limit_kind kind) noexcept {
    return phase(static_cast<int>(phase::first_kind) + static_cast<int>(kind));
  }
  static constexpr limit_kind kind_of(phase p) noexcept {
    return limit_kind(static_cast<int>(p) - static_cast<int>(phase::first_kind));
  }
  static constexpr bool is_hit(phase p) noexcept { return p != phase::none && p != phase::writing; }
  static constexpr phase phase_of(std::uint64_t state) noexcept {
    return phase(state & phase_mask);
  }
  static constexpr std::uint64_t in_phase(std::uint64_t state, phase p) noexcept {
    return (state & ~phase_mask) | static_cast<std::uint64_t>(p);
  }

  /// | hits that were forgotten: 60 | phase: 4 |. The phase of a kind publishes the amounts. For
  /// instance 0x22: two were forgotten, and the limit on memory, the second kind, is hit.
  std::atomic<std::uint64_t> state_{0};
  std::atomic<std::int64_t> limit_{0};
  std::atomic<std::int64_t> measured_{0};
};

}  // namespace memprof::inline v0::detail
