// SPDX-License-Identifier: MIT
/// \file
/// What of a selection is live over time: in all, by who allocated it, by its age. In samples, at
/// the end of each of at most `points` equal steps.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/group_map.hpp"
#include "analysis/index_usage.hpp"
#include "analysis/series.hpp"

namespace memprof::analysis {

/// A block enters and leaves as its `live_interval` says.
[[nodiscard]] time_series series_of(trace_index const& index, index_choice const& choice,
                                    std::size_t points);

/// name        none: what is in no other row.
struct stacked_row {
  std::optional<std::string> name;
  std::vector<std::uint64_t> samples;
};
struct stacked_series {
  std::chrono::microseconds step{1};
  std::vector<stacked_row> rows;
};
/// The n groups that hold most at the peak of the selection, then the rest. Who holds a block: the
/// group that allocated it (group_map::allocating).
[[nodiscard]] stacked_series stacked_of(index_usage const& u, grouping by, std::size_t n,
                                        std::size_t points);

/// Blocks of an age of `from` or more and less than `to` (none: without end).
struct age_band {
  std::chrono::microseconds from{0};
  std::optional<std::chrono::microseconds> to;
  std::vector<std::uint64_t> samples;
};
struct age_series {
  std::chrono::microseconds step{1};
  std::vector<age_band> bands;
};
/// The bounds are halves, quarters, ... of the trace's duration, and 0: youngest first.
[[nodiscard]] age_series ages_of(trace_index const& index, index_choice const& choice,
                                 std::size_t bands, std::size_t points);

}  // namespace memprof::analysis
