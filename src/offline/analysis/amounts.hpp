// SPDX-License-Identifier: MIT
/// \file
/// Sums of samples, and the numbers of blocks that these stand for.
#pragma once

#include <cstdint>

namespace memprof::analysis {

/// Samples, the sampled blocks that hold them, and how many blocks they stand for: n samples of a
/// block of w words (header counted) for n / (rate w) of them.
///
///  - `objects`: sum of n / (rate w): the estimate of the number of blocks.
///  - `spread`: sum of n / (rate w)^2: what its error comes from (docs/statistical.md (34)).
struct amount {
  std::uint64_t samples = 0;
  std::uint64_t blocks = 0;
  double objects = 0;
  double spread = 0;

  /// Of one sampled block.
  [[nodiscard]] static amount of_block(std::uint64_t samples, std::uint64_t length,
                                       double sample_rate) noexcept {
    const double weight = 1 / (sample_rate * (static_cast<double>(length) + 1));
    const auto n = static_cast<double>(samples);
    return {samples, 1, n * weight, n * weight * weight};
  }

  amount& operator+=(amount const& a) noexcept {
    samples += a.samples;
    blocks += a.blocks;
    objects += a.objects;
    spread += a.spread;
    return *this;
  }
  amount& operator-=(amount const& a) noexcept {
    samples -= a.samples;
    blocks -= a.blocks;
    // Sums of the same terms in another order: what is left of nothing is nothing.
    objects = blocks == 0 ? 0 : objects - a.objects;
    spread = blocks == 0 ? 0 : spread - a.spread;
    return *this;
  }
  /// Of the counts, which are exact.
  friend bool operator==(amount const& a, amount const& b) noexcept {
    return a.samples == b.samples && a.blocks == b.blocks;
  }
};

/// Of one stack, one function, or all.
struct amounts {
  amount allocated;
  amount in_use;  // when the process began to end; if that is not known, at the end of the trace
  amount
      at_peak;  // in use at the peak of the chosen blocks: each half of the samples at the moment
                // that the other picked (sample_halves)

  amounts& operator+=(amounts const& a) noexcept {
    allocated += a.allocated;
    in_use += a.in_use;
    at_peak += a.at_peak;
    return *this;
  }
};

enum class measure { allocated, in_use, peak };
[[nodiscard]] constexpr amount const& amount_of(amounts const& a, measure m) noexcept {
  return m == measure::allocated ? a.allocated : m == measure::in_use ? a.in_use : a.at_peak;
}

}  // namespace memprof::analysis
