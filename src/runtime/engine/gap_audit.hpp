// SPDX-License-Identifier: MIT
/// \file
/// The audit of the sampler: which words were really counted and which samples really taken,
/// grouped by the distance from the last sample, so that a test can compare them with the law.
///
/// A thread keeps tallies of its own. They change only when a sample is taken, the rate changes, or
/// the thread hands them over. Each word it counts is entered exactly once, at the rate at which it
/// was counted, whether a sample came or not. So gaps that were dropped (a new rate, the thread's
/// end) count as far as they went and cause no bias. It records what happened, not what was drawn:
/// docs/statistical.md, "The audit".
///
///      gap_start      seen                    first sample         after
///     -|--------------|-----------------------|--------------------|----- positions
///       entered before  entered with the sample  rest of its block
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sampling/sampling.hpp"

namespace memprof::engine {

/// Ages are binned by powers of two: up to 2^b, 2^(b+1), ..., 2^(b+6) words, and the rest.
/// The last edge is about two mean intervals, within a factor of sqrt(2), or 64 words if that is
/// more. For instance 256, 512, ..., 16384 words at 1e-4.
inline constexpr std::size_t age_bins = 8;
/// One cell for each age, and one for words drawn many at once: `binomial`.
inline constexpr std::size_t audit_cells = age_bins + 1;

/// A thread hands its tallies over at the end of the block that makes it this many words or more
/// since the last time. Which block that is must not depend on the samples: tallies taken right
/// after a sample, for example, hold one sample too many.
inline constexpr std::int64_t hand_over_interval = std::int64_t{1} << 20;

/// What a thread entered since the last hand-over, and where it stands. In a pool and not in
/// thread-local data, which glibc takes from the stacks of threads: where there are 16 KiB of it
/// and the loader binds symbols lazily, each hundred bytes count. Plug-ins with a copy of the
/// library have hardly any room for thread-local data, either.
struct audit_sums {
  double per_word = 0;  ///< 0: nothing to enter
  std::int64_t gap_start = 0;
  std::int64_t seen = 0;         ///< entered up to here
  std::int64_t words = 0;        ///< entered since the last hand-over
  std::int64_t settled = 0;      ///< of these, those that are in `cells`
  std::uint32_t index = 0;       ///< in the pool
  std::uint16_t first_bits = 0;  ///< b
  // At the present rate, and not in `cells` yet. A gap that ended in bin b and was not entered
  // in parts stands for all words of the bins before b, and for those in `part`.
  std::array<std::uint32_t, age_bins> ended{};
  std::array<std::int64_t, audit_cells> part{};
  std::array<sampling::tally, audit_cells> cells{};

  /// The words up to `position` had no sample.
  void pass(std::int64_t position) noexcept;
  /// Puts what was entered into `cells`, at the present rate.
  void settle() noexcept;
  /// The bin of an age.
  [[nodiscard]] std::size_t bin_of(std::int64_t age) const noexcept;
  /// The last age of a bin but the last one.
  [[nodiscard]] std::int64_t end_of(std::size_t bin) const noexcept;
  /// Words of these ages were counted, the first one not included.
  void enter(std::int64_t from_age, std::int64_t to_age) noexcept;
};

/// One thread's part. Plain data, valid when zero: nothing is audited yet.
/// All positions are the thread's (thread_state.hpp). Costs are per call.
class gap_audit {
 public:
  /// From `position` on words are counted under `law`, and ages begin anew. At rates 0 and 1, where
  /// nothing is random, nothing is entered, nor where there is no memory for the sums, which are
  /// taken here. Cost: 4 ns, and 20 if samples came since the last time.
  void change_law(std::int64_t position, sampling::geometric_distribution const& law) noexcept;
  /// The words up to `position` had no sample.
  void pass(std::int64_t position) noexcept {
    if (sums_ != nullptr) sums_->pass(position);
  }
  /// A block that ends at `after` got `n` >= 1 samples, the first at position `first`. Ages begin
  /// anew after it. Cost: 7 ns.
  void take_samples(std::int64_t first, std::int64_t after, std::uint64_t n) noexcept;
  /// The `words` up to `position` were drawn for, and are counted no longer: they stay entered, and
  /// what follows takes their positions.
  void withdraw(std::int64_t position, std::int64_t words) noexcept;
  /// `n` samples were drawn at once for `words` words.
  void take_block(std::int64_t words, std::uint64_t n) noexcept;

  /// Adds what was entered to the process's tallies, and starts at zero again. Lock-free.
  void hand_over() noexcept;
  /// The position beyond which the next hand-over is due.
  [[nodiscard]] std::int64_t due() const noexcept { return due_; }
  /// Hands over if it is due at `position`.
  void hand_over_if_due(std::int64_t position) noexcept {
    if (position > due_) [[unlikely]]
      hand_over_at(position);
  }
  /// At the thread's end: hands over, and returns the sums. What the thread allocates later is not
  /// audited.
  void close(std::int64_t position) noexcept;

 private:
  void hand_over_at(std::int64_t position) noexcept;
  bool take_sums() noexcept;

  std::int64_t due_ = hand_over_interval;
  audit_sums* sums_ = nullptr;  ///< null: no rate has been audited yet
  bool closed_ = false;
};

/// What threads of this process have handed over so far: whole hand-overs only.
struct audit_totals {
  std::int64_t words = 0;
  std::array<sampling::tally, audit_cells> cells{};
};

/// The totals now, all words of the calling thread included. Not from a signal handler.
/// Waits while another thread hands over (a microsecond), but not for ever.
audit_totals read_audit() noexcept;

/// A forked child audits itself only: its totals start at zero, except for what the forking thread
/// had not handed over yet. (Another thread may have been in the middle of a hand-over.)
void reset_audit_after_fork() noexcept;

}  // namespace memprof::engine
