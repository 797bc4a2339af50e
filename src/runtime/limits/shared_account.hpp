// SPDX-License-Identifier: MIT
/// \file
/// The account of a budget, charged by several threads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "memprof/limits.hpp"

#include "engine/engine.hpp"
#include "limits/budget_hit.hpp"

namespace memprof::inline v0::detail {

/// No amount: that limit does not bind.
inline constexpr std::int64_t unlimited = -1;

/// The fractions of a limit up to which soft limits were called, by limit_kind.
using soft_progress = std::array<std::atomic<double>, 3>;

/// Any thread may change any member at any time; each is correct by itself.
struct shared_account : std::enable_shared_from_this<shared_account> {
  explicit shared_account(memprof::limits&& l);
  ~shared_account();
  shared_account(shared_account const&) = delete;
  shared_account& operator=(shared_account const&) = delete;

  memprof::limits const limits;
  engine::account* live = nullptr;
  std::atomic<double> sampled_words{0.0};    ///< charged by samples
  std::atomic<std::int64_t> exact_words{0};  ///< counted by the runs, up to their latest events
  std::atomic<std::int64_t> allocations_limit{unlimited};
  std::atomic<std::int64_t> memory_limit{unlimited};
  budget_hit hit;                           ///< every run of the budget is interrupted
  std::atomic<int> runs{0};                 ///< in progress
  std::atomic<std::int64_t> deliveries{0};  ///< interrupts raised in any of them
  std::atomic<bool> counted{false};         ///< in the totals of interrupted tasks

  /// The first interrupt of a part of a task (budget_handle::resume): written once, by the thread
  /// that takes the state from `none`, and read when it is `known`.
  enum class error_state : std::uint8_t { none, being_written, known };
  std::atomic<error_state> error_progress{error_state::none};
  std::optional<interrupted> error = {};
  /// At the end of the latest part of a task: the labels of the next one.
  std::atomic<engine::label_set> labels{0};
  std::atomic<bool> has_labels{false};  ///< a part has ended
  soft_progress soft{};
  std::atomic<std::uint64_t> memory_looks{0};  ///< at its live memory, with a risk
};

}  // namespace memprof::inline v0::detail
