// SPDX-License-Identifier: MIT
/// \file
/// Samples thinned without bias: each is kept with the same chance, independent of the others.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace memprof::tools {

/// The same seed gives the same choice.
class thinning {
 public:
  /// \param chance in (0, 1]. At 1 everything is kept and nothing is drawn.
  thinning(double chance, std::uint64_t seed) : chance_(chance), random_(seed) {}

  /// How many of `samples` are kept: binomial.
  std::uint64_t operator()(std::uint64_t samples) {
    if (chance_ >= 1) return samples;
    if (samples <= few) {
      std::uint64_t kept = 0;
      for (std::uint64_t i = 0; i < samples; ++i) kept += uniform() < chance_ ? 1U : 0U;
      return kept;
    }
    if (samples <= many) {
      std::binomial_distribution<std::int64_t> law(static_cast<std::int64_t>(samples), chance_);
      return static_cast<std::uint64_t>(law(random_));
    }
    return approximately(static_cast<double>(samples));
  }

 private:
  static constexpr std::uint64_t few = 64;
  /// No program samples more of a block, but a damaged trace may say so, and libstdc++'s binomial
  /// law of 2^62 may not come to an end.
  static constexpr std::uint64_t many = 1ULL << 31;

  /// The binomial law's limits: of rare events Poisson's, else the normal law.
  std::uint64_t approximately(double samples) {
    const double mean = samples * chance_;
    if (mean < 1e6) return std::poisson_distribution<std::uint64_t>(mean)(random_);
    std::normal_distribution<double> law(mean, std::sqrt(mean * (1 - chance_)));
    const double most = std::min(samples, 0x1p62);
    return static_cast<std::uint64_t>(std::clamp(std::round(law(random_)), 0.0, most));
  }
  /// In [0, 1), of 53 bits, the same with every standard library.
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  double chance_;
  std::mt19937_64 random_;
};

}  // namespace memprof::tools
