// SPDX-License-Identifier: MIT
/// \file
/// Sums over the whole process.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "engine/account.hpp"
#include "engine/estimate_audit.hpp"

namespace memprof::engine {

/// Blocks in use.
struct amounts {
  std::int64_t weight = 0;
  std::int64_t fraction = 0;
  std::int64_t variance = 0;
  std::int64_t fine_variance = 0;
  std::int64_t uncertain = 0;
  std::int64_t blocks = 0;

  void add(live_sum const& s) noexcept {
    weight += s.weight.load(std::memory_order_relaxed);
    fraction += s.fraction.load(std::memory_order_relaxed);
    variance += s.variance.load(std::memory_order_relaxed);
    fine_variance += s.fine_variance.load(std::memory_order_relaxed);
    uncertain += s.uncertain.load(std::memory_order_relaxed);
    blocks += s.blocks.load(std::memory_order_relaxed);
  }
};

/// The sums that most samples change. Each thread keeps its own part: what its allocations added,
/// and what its frees, of any thread's blocks, took off. Alone it means nothing; may be below 0.
struct thread_totals {
  struct residual_sums {
    std::atomic<std::int64_t> expected{0};  ///< 2^-20 samples; so the others
    std::atomic<std::int64_t> excess{0};
    std::atomic<std::int64_t> variance{0};
  };
  live_sum minor;
  std::array<residual_sums, consumers> residuals;
  std::atomic<std::int64_t> sampled_blocks{0};
  std::atomic<std::int64_t> samples{0};
};

/// One shared sum, because limits are compared with it at every check.
struct totals_of_process {
  live_sum major;
  /// Bytes of major blocks that were granted (`grant`) and are not part of `major` yet.
  std::atomic<std::int64_t> granted{0};
  /// Bytes: the longest mean interval at which any thread has sampled, or 0. As of an account.
  std::atomic<double> interval{0.0};
  std::atomic<std::uint64_t> promotions{0};
  std::atomic<std::uint64_t> dropped_blocks{0};
  std::atomic<std::uint64_t> aligned_blocks{0};
};

extern totals_of_process process_totals;

/// Takes note of `weight` bytes of a major block that this thread is about to obtain, so that no
/// other thread is promised the same memory. Taken back when the block is tracked, or when the
/// event ends.
///
/// \param most the largest permitted sum of major blocks and granted ones, this one included.
/// \return false, and nothing is noted, if the sum would be larger.
bool grant(std::int64_t weight, std::int64_t most) noexcept;
void grant_anyway(std::int64_t weight) noexcept;
void take_back_grant() noexcept;
/// Of the threads of this process only the calling one is left.
void reset_grants_after_fork() noexcept;

/// Adds a young block, or subtracts it.
void add_minor(rounded_contribution const& c) noexcept;
void subtract_minor(rounded_contribution const& c) noexcept;
void count_sampled_block(std::uint64_t n_samples) noexcept;
void uncount_sampled_block(std::uint64_t n_samples) noexcept;
void add_residual(consumer who, residual const& more) noexcept;

/// Sums over all threads, including those that have ended. Cost: a cache line for each that ran at
/// once.
[[nodiscard]] amounts minor_in_use() noexcept;
struct sampled_counts {
  std::uint64_t blocks = 0;
  std::uint64_t samples = 0;
};
[[nodiscard]] sampled_counts sampled_so_far() noexcept;

/// `open` gives this thread sums of its own, which it uses until `close`.
void open_totals_of_thread() noexcept;
void close_totals_of_thread() noexcept;

}  // namespace memprof::engine
