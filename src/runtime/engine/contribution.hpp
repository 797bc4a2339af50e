// SPDX-License-Identifier: MIT
/// \file
/// What one tracked block adds to every sum that it is part of.
///
/// \see docs/statistical.md (7), (8).
#pragma once

#include <cmath>
#include <cstdint>

#include "sampling/sampling.hpp"

namespace memprof::engine {

/// Parts of a byte that `fraction` counts, as a power of two.
inline constexpr int fraction_bits = 20;
/// Weights of so many bytes and more are kept without a fraction.
inline constexpr double least_whole_weight = 65536.0;
/// Variances of so many bytes^2 and more are kept in the coarse unit.
inline constexpr double least_coarse_variance = 262144.0;
/// Units, in bytes^2 and in bytes.
inline constexpr double variance_unit = 1024.0;
inline constexpr double fine_variance_unit = 1.0 / 65536.0;
inline constexpr double uncertain_unit = 1.0 / 1024.0;

/// A contribution as sums keep it, in whole numbers: the same ones are added and subtracted, so no
/// sum drifts. The units leave room for any heap, and change an estimate of small blocks by less
/// than 4e-8 (above 64 KiB for a sample, by less than 8e-6).
///
/// Most members are 0 at most rates: at rate 1 all but the weight; at the default all but weight,
/// variance and `uncertain`.
struct rounded_contribution {
  std::int64_t weight = 0;         ///< bytes
  std::int64_t fraction = 0;       ///< and 2^-20 bytes
  std::int64_t variance = 0;       ///< 1024 bytes^2
  std::int64_t fine_variance = 0;  ///< and 2^-16 bytes^2
  std::int64_t uncertain = 0;      ///< 1/1024 bytes

  /// change(sum, part) for all members of `sums` that change.
  template <class Sums, class Change>
  void for_each(Sums& sums, Change&& change) const noexcept {
    change(sums.weight, weight);
    if (fraction != 0) change(sums.fraction, fraction);
    if (variance != 0) change(sums.variance, variance);
    if (fine_variance != 0) change(sums.fine_variance, fine_variance);
    if (uncertain != 0) change(sums.uncertain, uncertain);
    change(sums.blocks, std::int64_t{1});
  }
};

///  - `weight`: bytes: the unbiased estimate, its counted bytes / P(it was sampled).
///  - `variance`: of that estimate, bytes^2.
///  - `per_word`: the rate at which it was sampled.
struct contribution {
  double weight = 0.0;
  double variance = 0.0;
  double per_word = 1.0;

  /// The part of the weight that is subject to chance: as many bytes of small blocks, sampled at
  /// the same rate, have this variance.
  [[nodiscard]] double uncertain() const noexcept { return variance * per_word / 8.0; }

  [[nodiscard]] rounded_contribution rounded() const noexcept {
    rounded_contribution r;
    if (weight < least_whole_weight) {
      r.weight = static_cast<std::int64_t>(weight);
      r.fraction = nearest((weight - static_cast<double>(r.weight)) * (1 << fraction_bits));
    } else {
      r.weight = nearest(weight);
    }
    if (variance < least_coarse_variance) {
      r.fine_variance = nearest(variance / fine_variance_unit);
    } else {
      r.variance = nearest(variance / variance_unit);
    }
    r.uncertain = nearest(uncertain() / uncertain_unit);
    return r;
  }

 private:
  /// Rounds x >= 0, exactly below about 2^52. (std::llround is a call.)
  static std::int64_t nearest(double x) noexcept {
    constexpr double most = 4611686018427387904.0;  // 2^62: at rates no heap could be sampled at
    return static_cast<std::int64_t>((x < most ? x : most) + 0.5);
  }
};

/// Unbiased estimate of the bytes that a sampled block stands for, and its variance.
///
/// A block of w words is sampled with probability q = 1 - (1-p)^w, so w / q counted for each
/// sampled block has the right expectation (Horvitz and Thompson 1952), and for large blocks
/// hardly any variance: w^2 (1-q) / q^2 per sampled block is its unbiased estimate.
///
/// \param law at which the block was sampled. Cost: some 20 ns; a logarithm more by `per_word`.
contribution contribution_of(std::int64_t counted_words,
                             sampling::geometric_distribution const& law) noexcept;
contribution contribution_of(std::int64_t counted_words, double per_word) noexcept;

}  // namespace memprof::engine
