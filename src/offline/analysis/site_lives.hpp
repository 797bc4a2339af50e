// SPDX-License-Identifier: MIT
/// \file
/// When the blocks of each allocation site are born and die: what suspicions are built on.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/group_map.hpp"
#include "analysis/index_usage.hpp"

namespace memprof::analysis {

/// Of one site (grouping::site; the innermost frame that is not hidden). Blocks are sampled ones,
/// and each of them is one observation.
///
/// born_in, survivors_in       by the quarter of the trace in which they were born.
/// middle      the survivors that were born in the second and third quarter.
/// at_half     what was live in the middle of the trace.
/// peak        what was live when most of this site was; first time, in the order of the file.
struct site_lives {
  std::string site, function;
  amount allocated, in_use, at_half, peak, middle;
  std::array<std::uint64_t, 4> born_in{}, survivors_in{};
  std::int64_t peak_time = 0, first_born = 0, last_born = 0;
  std::uint32_t peak_event = object_columns::no_event;
  std::vector<std::uint32_t> objects;  // those chosen, by their number in the trace
};

/// The sites with at least `least_blocks` blocks, in no order.
///
/// cost        some 50 ns for each block; 4 bytes for each.
[[nodiscard]] std::vector<site_lives> lives_of_sites(index_usage const& u,
                                                     std::uint64_t least_blocks);

/// How far lifetimes grow with the time of birth.
///
/// rank_correlation   Spearman's, of the blocks born before the site's peak; survivors count as if
///             they died at the end.
/// deviations  how many standard deviations it is above what chance would give: rho sqrt(n - 1).
/// early, late medians of the lifetimes of the first and the last third, in microseconds.
struct lifetime_growth {
  std::size_t blocks = 0;
  double rank_correlation = 0;
  double deviations = 0;
  double early = 0, late = 0;
};
[[nodiscard]] lifetime_growth growth_of(index_usage const& u, site_lives const& site);

}  // namespace memprof::analysis
