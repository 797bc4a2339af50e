// SPDX-License-Identifier: MIT
/// \file
/// Allocation sites that look like a leak, a queue that balloons, or a cache, and why.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "analysis/index_usage.hpp"
#include "analysis/selection_text.hpp"
#include "analysis/series.hpp"

namespace memprof::analysis {

enum class suspicion { leak, queue, cache };

/// score       bytes: the lower end of the interval of `held`, so that few samples weigh little.
/// held        in use at the end; of a queue, at the peak of its site.
/// evidence    sentences with numbers.
/// narrowed    what to add to the selection to look at it.
/// live        of the site's blocks, in samples.
struct suspect {
  suspicion what = suspicion::leak;
  std::string function, site;
  double score = 0;
  amount held;
  std::vector<std::string> evidence;
  std::vector<named_text> narrowed;
  time_series live;
};

/// Largest score first.
struct suspects {
  std::vector<suspect> leaks, queues, caches;
};

/// What it takes to be suspected; blocks are sampled ones, "survive" means in use at the end.
///
///     leak     20 blocks survive, at least 5 of them born in each of the two middle quarters of
///              the trace, and these two have between them a quarter of the survivors: steady
///              growth; what was born in the last quarter may just be young.
///     queue    at least half of what the site held at its peak is gone at the end; the peak is
///              within the middle 90 % of the trace; of 30 blocks or more born before it lifetimes
///              rise with the time of birth: Spearman's correlation over 0.5 and 5 standard
///              deviations (chance: 3e-7 for each site), and the last third live three times as
///              long as the first, for 2 % of the trace or more.
///     cache    20 blocks survive, half of them born in the first half of the trace, and what is
///              live grew by at most a fifth since the middle of it.
///
/// A site is one of these at most, the first that fits. Sites of less than a thousandth of what is
/// in use at the peak are left out.
///
/// each        at most so many of each kind.
[[nodiscard]] suspects find_suspects(index_usage const& u, std::size_t each = 20,
                                     std::size_t sparkline_points = 60);

}  // namespace memprof::analysis
