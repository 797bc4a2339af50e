// SPDX-License-Identifier: MIT
/// \file
/// How long blocks live: the share that is still there after a time, with its error.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/histogram.hpp"

namespace memprof::analysis {

/// A point of the survival curve: of what was allocated, the share that lives at least `age`.
///  - `lower`, `upper`: hold the truth with 95 %, up to the age of the next point.
///  - `at_risk`: the samples that were looked at for longer than that.
struct survival_point {
  std::uint64_t age = 0;  ///< microseconds
  double share = 1;
  double lower = 1;
  double upper = 1;
  double at_risk = 0;
};

/// The estimator of Kaplan and Meier over logarithmic bins (eight to an octave): a block that lives
/// when the trace ends has lived for its age at least, so it is not taken for one that died then.
///
/// Each sample is an observation. The samples of one block are one observation repeated, so
/// Greenwood's variance is multiplied by sum(n^2) / sum(n) over the blocks. The interval is Clopper
/// and Pearson's for as many independent observations as have this variance; at 0 and 1, for those
/// that were looked at (docs/statistical.md (38)). It is that of each age by itself.
///
/// \note Memory: bounded.
class survival_builder {
 public:
  void died(std::uint64_t age, std::uint64_t samples);
  void still_lives(std::uint64_t age, std::uint64_t samples);

  [[nodiscard]] std::vector<survival_point> curve() const;
  /// Ages at death, weighted by samples.
  [[nodiscard]] log_histogram const& deaths() const noexcept { return deaths_; }
  [[nodiscard]] log_histogram const& survivors() const noexcept { return survivors_; }
  /// The mean age at death, over samples.
  [[nodiscard]] double mean_age_at_death() const noexcept;

 private:
  log_histogram deaths_, survivors_;
  double age_sum_ = 0;
};

}  // namespace memprof::analysis
