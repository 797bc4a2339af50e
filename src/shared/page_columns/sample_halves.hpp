// SPDX-License-Identifier: MIT
/// \file
/// The samples of each block in two halves, of which one says when memory was at its peak, and the
/// other how much it was: docs/statistical.md, "The peak".
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "page_columns/thinned_samples.hpp"

namespace memprof::page_columns {

///  - `first`, `second`: samples of a block that are in each half.
struct sample_halves {
  std::uint64_t first = 0, second = 0;
};

/// Splits the samples of a trace. Each half is what a rate of half the trace's would have sampled,
/// and independent of the other: so a sample is in both with probability rate / 4, and as often in
/// neither. At rate 1 nothing is random, and both have all samples.
///
/// A block is split in the same way whenever it is looked at.
class sample_splitter {
 public:
  /// \param seed of the trace, so that traces of the same program are split differently.
  /// \param rate of the samples that are split: the trace's, or less if some were dropped.
  sample_splitter(std::uint64_t seed, double rate) noexcept : seed_(bits_of(seed)()), rate_(rate) {}

  /// \param samples counted as 2^32 if there are more, as in thinned_samples.
  [[nodiscard]] sample_halves operator()(std::uint64_t samples, std::uint64_t id) const {
    if (rate_ >= 1) return {samples, samples};
    bits_of random(seed_ ^ bits_of(id)());
    const double same = rate_ / 2;  // in the second half if in the first, not if not
    sample_halves h;
    if (samples <= 64) {
      const std::uint64_t coins = random();
      for (unsigned i = 0; i < samples; ++i) {
        const bool first = (coins >> i & 1) != 0;
        const bool agree = static_cast<double>(random() >> 11) * 0x1p-53 < same;
        h.first += first ? 1U : 0U;
        h.second += first == agree ? 1U : 0U;
      }
      return h;
    }
    const auto draw = [&](std::uint64_t n, double chance) {
      std::binomial_distribution<std::int64_t> law(static_cast<std::int64_t>(n), chance);
      return static_cast<std::uint64_t>(law(random));
    };
    const std::uint64_t n = std::min(samples, std::uint64_t{1} << 32);
    h.first = draw(n, 0.5);
    h.second = draw(h.first, same) + (n - h.first) - draw(n - h.first, same);
    return h;
  }

 private:
  std::uint64_t seed_;
  double rate_;
};

}  // namespace memprof::page_columns
