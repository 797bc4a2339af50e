// SPDX-License-Identifier: MIT
/// \file
/// All that `memprof stats` reports of a trace, from one reading of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/alloc_stats.hpp"
#include "analysis/histogram.hpp"
#include "analysis/series.hpp"
#include "analysis/survival.hpp"
#include "analysis/usage_builder.hpp"

namespace memprof::analysis {

/// A block in the plot of time against lifetime.
struct lifetime_point {
  std::chrono::microseconds born{0};
  std::chrono::microseconds lifetime{0};
  bool died = false;
};

///  - samples by heap: minor, major (directly), external; `promoted` of the minor ones.
///  - `sizes`: lengths in words, weighted by samples.
///  - `points`: some of the blocks, at most statistics_builder::most_points, chosen at random.
struct statistics {
  std::uint64_t events = 0;
  std::uint64_t minor = 0, major = 0, external = 0, promoted = 0;
  log_histogram sizes;
  survival_builder lifetimes;
  time_series series;
  usage stacks;  // by size, with lifetimes
  alloc_stats notebook;
  std::vector<lifetime_point> points;
};

/// Takes the events of a trace in their order.
///
/// \note Memory: that of alloc_stats_builder and of usage_builder; the rest is bounded.
class statistics_builder {
 public:
  /// \param under only blocks with a function in their backtrace that matches; none: all blocks.
  /// \param hide_allocation_functions as in `naming`: for sites.
  statistics_builder(trace::info const& info, std::shared_ptr<symbolize::resolver> names,
                     std::optional<name_pattern> under, bool hide_allocation_functions = false);
  void add(trace::event const& e, trace::reader const& reader);
  [[nodiscard]] statistics finish();

  static constexpr std::size_t most_points = 20'000;

 private:
  void point(lifetime_point p);

  statistics result_;
  usage_builder stacks_;
  alloc_stats_builder notebook_;
  series_builder series_;
  std::uint64_t points_seen_ = 0;
  std::uint64_t random_ = 0x9e3779b97f4a7c15U;  // the same points each time
};

}  // namespace memprof::analysis
