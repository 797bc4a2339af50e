// SPDX-License-Identifier: MIT
/// \file
/// The numbers of the notebooks of ocaml-alloc-stats: what leaves the minor heap, its sizes, how
/// long it lives.
///
/// As there, a block that is collected in the minor heap is left out, one that is promoted counts
/// as allocated in the major heap when it is promoted, and every block counts once, however many
/// samples it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/object_table.hpp"

namespace memprof::analysis {

/// Of sizes in words. The variance is over n.
struct size_moments {
  std::uint64_t count = 0;
  double mean = 0;
  double variance = 0;
  double standard_deviation = 0;
  std::uint64_t max = 0;
};

/// Of the blocks that left the minor heap; survivors end with the trace.
struct lifetime_summary {
  std::uint64_t survivors = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  double mean = 0;
  std::vector<std::uint64_t> by_32;   ///< 0 to 32; of ticks only
  std::vector<std::uint64_t> by_100;  ///< from the least to the greatest
};

///  - `count_by_size`: sizes in words.
///  - `small`, `medium`, `large`: histograms: 0-32 by 32, 32-256 and 256-10000 by 100.
///  - `over_10000`: how many are larger, and their histogram by 100 if they differ.
///  - `halves`, `tenths`: of the allocations in their order; a part has ceil(n / parts) of them,
///    but the last ones. `inner`: 100 were dropped at each end.
///  - `ticks`: a tick is one event that the minor filter left.
///  - `time`: microseconds.
///  - `time_as_notebook`: the notebook gives promotions and collections the time of the last
///    allocation; the numbers it prints, kept to compare.
struct alloc_stats {
  std::uint64_t events = 0;
  std::uint64_t allocations = 0;
  std::map<std::uint64_t, std::uint64_t> count_by_size;
  std::vector<std::uint64_t> small, medium, large;
  std::uint64_t over_10000 = 0;
  std::optional<std::vector<std::uint64_t>> over_10000_by_100;
  std::uint64_t over_256 = 0;
  size_moments moments;
  std::vector<size_moments> halves;
  std::vector<double> sd_of_tenths;
  std::vector<std::uint64_t> over_256_of_tenths;
  std::vector<double> sd_of_inner_halves;
  std::vector<size_moments> over_256_inner_halves;
  lifetime_summary ticks, time, time_as_notebook;
};

/// Takes the events of a trace in their order.
///
/// \note Memory: 32 bytes for each block that leaves the minor heap (the halves and tenths, and the
///   edges of the histograms, are known at the end only), and the live ones.
class alloc_stats_builder {
 public:
  void add(trace::event const& e);
  [[nodiscard]] alloc_stats finish();

 private:
  struct block {
    std::uint64_t length = 0;
    bool major = false;
    std::int64_t tick = 0, time = 0, last_allocation = 0;
  };
  void allocated(block& b, std::int64_t time);

  object_table<block> live_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> ticks_, times_, notebook_times_;  // lifetimes
  std::int64_t events_ = 0;
  std::int64_t last_allocation_ = 0;
  std::int64_t last_time_ = 0, last_notebook_time_ = 0;  // of the events that are left
};

}  // namespace memprof::analysis
