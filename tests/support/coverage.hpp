// SPDX-License-Identifier: MIT
/// \file
/// Do estimates and their intervals keep what they promise, over many simulated traces? Each test
/// says, too, how small a fault it would find: one that cannot fail is worth nothing.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>

#include "memprof/detail/binomial_tail.hpp"

namespace memprof::test {

/// Correct code fails one check of a `coverage_count` in 1e10 seeds.
inline constexpr double coverage_false_alarm = 1e-10;

/// Estimates of a known truth.
class coverage_count {
 public:
  /// what        is printed.
  /// promised    so often an interval may miss.
  coverage_count(char const* what, double promised) : what_(what), promised_(promised) {}

  void add(double truth, double value, double lower, double upper) {
    ++draws_;
    below_ += truth < lower ? 1 : 0;
    above_ += truth > upper ? 1 : 0;
    const double error = value / truth - 1;
    errors_ += error;
    squares_ += error * error;
  }

  /// The greatest number of misses that is no failure; and that of misses on one side, which is
  /// promised half of them.
  [[nodiscard]] std::int64_t most_misses() const { return most_of(promised_); }
  [[nodiscard]] std::int64_t most_misses_on_a_side() const { return most_of(promised_ / 2); }
  [[nodiscard]] std::int64_t misses_on_a_side() const noexcept {
    return below_ > above_ ? below_ : above_;
  }
  [[nodiscard]] std::int64_t misses() const noexcept { return below_ + above_; }
  [[nodiscard]] std::int64_t draws() const noexcept { return draws_; }
  /// The truth was under (over) the interval.
  [[nodiscard]] std::int64_t below() const noexcept { return below_; }
  [[nodiscard]] std::int64_t above() const noexcept { return above_; }

  /// The mean error of the value as a part of the truth, in its own standard deviations.
  [[nodiscard]] double bias_in_deviations() const { return mean_error() / deviation_of_mean(); }
  /// Beyond 6.5 of them correct code is once in 1e10 (of the normal law, which the mean of hundreds
  /// of draws follows).
  static constexpr double most_deviations = 6.5;

  /// One line: what was found, and what would have been, as often as not.
  void print() const {
    const auto n = static_cast<double>(draws_);
    std::printf(
        "%-44s missed %.2f + %.2f %% (finds %.1f %% instead of %.1f %%), bias %+.2f %% (finds "
        "%.1f %%)\n",
        what_, 100 * static_cast<double>(below_) / n, 100 * static_cast<double>(above_) / n,
        100 * (static_cast<double>(most_misses()) + 0.67) / n, 100 * promised_, 100 * mean_error(),
        100 * most_deviations * deviation_of_mean());
  }

 private:
  [[nodiscard]] std::int64_t most_of(double promised) const {
    using detail::statistics::tails;
    std::int64_t k = static_cast<std::int64_t>(static_cast<double>(draws_) * promised);
    while (k < draws_ && tails(k + 1, draws_, promised).upper() > coverage_false_alarm) ++k;
    return k;
  }
  [[nodiscard]] double mean_error() const { return errors_ / static_cast<double>(draws_); }
  [[nodiscard]] double deviation_of_mean() const {
    const auto n = static_cast<double>(draws_);
    const double variance = squares_ / n - mean_error() * mean_error();
    return std::sqrt(std::fmax(variance, 1e-30) / n);
  }

  char const* what_;
  double promised_;
  std::int64_t draws_ = 0, below_ = 0, above_ = 0;
  double errors_ = 0, squares_ = 0;
};

}  // namespace memprof::test
