// SPDX-License-Identifier: MIT
#include "analysis/index_series.hpp"

#include <algorithm>

namespace memprof::analysis {
namespace {

using std::chrono::microseconds;

void add(series_builder& to, live_interval const& s, std::uint64_t samples) {
  to.allocated(microseconds{s.from}, samples);
  if (s.ends) to.freed(microseconds{s.to}, samples);
}

std::vector<std::uint64_t> live_of(time_series const& series) {
  std::vector<std::uint64_t> result;
  result.reserve(series.steps.size());
  for (series_step const& s : series.steps) result.push_back(s.live);
  return result;
}

}  // namespace

time_series series_of(trace_index const& index, index_choice const& choice, std::size_t points) {
  series_builder builder(index.facts().duration, points);
  for_each_live_interval(index, choice, [&](std::size_t i, live_interval const& s) {
    add(builder, s, index.objects().samples[i]);
  });
  return builder.finish();
}

stacked_series stacked_of(index_usage const& u, grouping by, std::size_t n, std::size_t points) {
  trace_index const& index = *u.index;
  const group_map groups(u.choice.codes, index.stacks(), by);
  std::vector<name_table::id> group_of(u.own.size(), group_map::none);
  std::vector<std::uint64_t> at_peak(groups.names().size()), allocated(groups.names().size());
  for (stack_tree::node_id s = 0; s < u.own.size(); ++s) {
    if (u.own[s].allocated.blocks == 0) continue;
    const name_table::id g = group_of[s] = groups.allocating(s);
    if (g == group_map::none) continue;
    at_peak[g] += u.own[s].at_peak.samples;
    allocated[g] += u.own[s].allocated.samples;
  }
  std::vector<name_table::id> largest;
  for (name_table::id g = 0; g < at_peak.size(); ++g) {
    if (at_peak[g] > 0) largest.push_back(g);
  }
  std::sort(largest.begin(), largest.end(), [&](name_table::id a, name_table::id b) {
    if (at_peak[a] != at_peak[b]) return at_peak[a] > at_peak[b];
    if (allocated[a] != allocated[b]) return allocated[a] > allocated[b];
    return groups.names().text(a) < groups.names().text(b);
  });
  largest.resize(std::min(largest.size(), n));
  std::vector<std::size_t> row_of(groups.names().size(), largest.size());
  for (std::size_t i = 0; i < largest.size(); ++i) row_of[largest[i]] = i;

  const microseconds duration = index.facts().duration;
  std::vector<series_builder> rows(largest.size() + 1, series_builder(duration, points));
  for_each_live_interval(index, u.choice, [&](std::size_t i, live_interval const& s) {
    const name_table::id g = group_of[index.objects().stack[i]];
    add(rows[g == group_map::none ? largest.size() : row_of[g]], s, index.objects().samples[i]);
  });
  stacked_series result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const time_series series = rows[i].finish();
    result.step = series.step;
    stacked_row row{.name = {}, .samples = live_of(series)};
    if (i < largest.size()) row.name = groups.names().text(largest[i]);
    result.rows.push_back(std::move(row));
  }
  return result;
}

age_series ages_of(trace_index const& index, index_choice const& choice, std::size_t bands,
                   std::size_t points) {
  const microseconds duration = index.facts().duration;
  age_series result;
  std::vector<series_builder> builders;
  for (std::size_t b = 0; b < bands; ++b) {
    const auto edge = [&](std::size_t i) {
      return microseconds{i == 0 ? 0 : duration.count() >> (bands - i)};
    };
    result.bands.push_back({.from = edge(b), .to = {}, .samples = {}});
    if (b + 1 < bands) result.bands.back().to = edge(b + 1);
    builders.emplace_back(duration, points);
  }
  for_each_live_interval(index, choice, [&](std::size_t i, live_interval const& s) {
    for (std::size_t b = 0; b < bands; ++b) {
      // In the band from its birthday to the next one, if it lives so long. What would come after
      // the end of the trace is left out.
      live_interval part = s;
      part.from = s.from + result.bands[b].from.count();
      if (part.from > duration.count() || (s.ends && part.from >= s.to && b > 0)) break;
      if (result.bands[b].to) {
        const std::int64_t until = s.from + result.bands[b].to->count();
        if (!part.ends || until < part.to) part.to = until;
        part.ends = part.ends || until <= duration.count();
      }
      add(builders[b], part, index.objects().samples[i]);
    }
  });
  for (std::size_t b = 0; b < bands; ++b) {
    const time_series series = builders[b].finish();
    result.step = series.step;
    result.bands[b].samples = live_of(series);
  }
  return result;
}

}  // namespace memprof::analysis
