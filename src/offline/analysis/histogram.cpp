// SPDX-License-Identifier: MIT
#include "analysis/histogram.hpp"

#include <bit>
#include <limits>

namespace memprof::analysis {

std::vector<std::uint64_t> linear_histogram(std::span<std::int64_t const> values, std::int64_t low,
                                            std::int64_t high, std::size_t bins) {
  __extension__ using wide = unsigned __int128;
  std::vector<std::uint64_t> result(bins);
  const auto distance = [low](std::int64_t to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(low);
  };
  const std::uint64_t range = distance(high);
  for (const std::int64_t v : values) {
    if (v < low || v > high) continue;
    const std::size_t bin =
        range == 0 ? 0 : static_cast<std::size_t>(wide{distance(v)} * bins / range);
    ++result[bin < bins ? bin : bins - 1];
  }
  return result;
}

std::size_t log_histogram::bin_of(std::uint64_t value) noexcept {
  if (value < 16) return static_cast<std::size_t>(value);
  const int octave = 63 - std::countl_zero(value);  // 4 to 63
  const std::uint64_t eighth = (value >> (octave - 3)) & 7;
  return 16 + static_cast<std::size_t>(octave - 4) * 8 + static_cast<std::size_t>(eighth);
}

std::uint64_t log_histogram::lower_edge(std::size_t bin) noexcept {
  if (bin < 16) return bin;
  if (bin >= bin_count) return std::numeric_limits<std::uint64_t>::max();
  const std::size_t octave = (bin - 16) / 8 + 4;
  return (std::uint64_t{8} + (bin - 16) % 8) << (octave - 3);
}

void log_histogram::add(std::uint64_t value, double weight) {
  cell& c = cells_[bin_of(value)];
  c.weight += weight;
  c.squared_weight += weight * weight;
  ++c.count;
  weight_ += weight;
  ++count_;
}

std::vector<log_bin> log_histogram::bins() const {
  std::vector<log_bin> result;
  std::size_t keep = 0;
  for (std::size_t i = 0; i < bin_count; ++i) {
    cell const& c = cells_[i];
    if (c.count == 0 && result.empty()) continue;
    result.push_back({lower_edge(i), lower_edge(i + 1), c.weight, c.squared_weight, c.count});
    if (c.count != 0) keep = result.size();
  }
  result.resize(keep);
  return result;
}

double log_histogram::quantile(double q) const {
  const double wanted = q * weight_;
  double below = 0;
  for (log_bin const& b : bins()) {
    if (b.weight > 0 && below + b.weight >= wanted) {
      const double part = (wanted - below) / b.weight;
      const auto lower = static_cast<double>(b.lower);
      const auto width = static_cast<double>(b.upper - b.lower);
      return width <= 1 ? lower : lower + part * width;
    }
    below += b.weight;
  }
  return 0;
}

}  // namespace memprof::analysis
