// SPDX-License-Identifier: MIT
/// \file
/// Histograms: linear ones over values that are known, logarithmic ones of bounded memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memprof::analysis {

/// Counts of the values in `bins` equal parts of [low, high]; values outside are left out. A bin
/// holds its lower edge, the last one both. Exact: no edge is rounded.
[[nodiscard]] std::vector<std::uint64_t> linear_histogram(std::span<std::int64_t const> values,
                                                          std::int64_t low, std::int64_t high,
                                                          std::size_t bins);

/// What lies in [lower, upper).
struct log_bin {
  std::uint64_t lower = 0;
  std::uint64_t upper = 0;
  double weight = 0;          ///< sum of the weights
  double squared_weight = 0;  ///< sum of their squares
  std::uint64_t count = 0;    ///< number of values
};

/// Weighted values in bins that grow with them: eight to an octave, exact below 16. 8 KiB and more,
/// whatever is put in.
class log_histogram {
 public:
  void add(std::uint64_t value, double weight);

  /// From the first bin with anything in it to the last; empty ones between them are there, too.
  [[nodiscard]] std::vector<log_bin> bins() const;
  [[nodiscard]] double weight() const noexcept { return weight_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// The value that a share `q` of the weight lies below, to a bin's width (at most an eighth).
  [[nodiscard]] double quantile(double q) const;

  static constexpr std::size_t bin_count = 16 + 60 * 8;
  [[nodiscard]] static std::size_t bin_of(std::uint64_t value) noexcept;
  [[nodiscard]] static std::uint64_t lower_edge(std::size_t bin) noexcept;

 private:
  struct cell {
    double weight = 0, squared_weight = 0;
    std::uint64_t count = 0;
  };
  std::array<cell, bin_count> cells_{};
  double weight_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace memprof::analysis
