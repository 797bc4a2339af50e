// SPDX-License-Identifier: MIT
#include "analysis/site_lives.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace memprof::analysis {
namespace {

/// The name of the innermost frame that is not hidden.
std::string function_at(index_usage const& u, stack_tree::node_id stack) {
  code_table const& codes = u.choice.codes;
  for (auto s = stack; s != stack_tree::root; s = u.index->stacks()[s].parent) {
    const code_table::id code = u.index->stacks()[s].code;
    if (const auto frames = codes.frames(code); !frames.empty()) {
      return codes.functions().text(frames.back().function);
    }
    if (!codes.is_known(code)) return {};
  }
  return {};
}

/// The event at which most of each site is live, from the changes in the order of the file.
void find_peaks(index_usage const& u, std::vector<std::uint32_t> const& site_of,
                std::vector<site_lives>& sites) {
  object_columns const& o = u.index->objects();
  struct running {
    std::uint64_t now = 0, most = 0;
  };
  std::vector<running> live(sites.size());
  std::uint32_t event = 0;
  for (object_change const change : u.index->changes()) {
    const std::uint32_t i = change.object;
    if (!u.choice.objects[i]) continue;
    const std::uint32_t g = site_of[o.stack[i]];
    if (g == group_map::none) continue;
    const live_interval s = live_interval_of(o, i, u.choice.chosen.heaps);
    switch (static_cast<trace::event_kind>(change.kind)) {
      case trace::event_kind::allocation:
        event = o.born_event[i];
        break;
      case trace::event_kind::promotion:
        event = o.promoted_event[i];
        break;
      case trace::event_kind::collection:
        event = o.gone_event[i];
        break;
    }
    if (event == s.from_event) {
      live[g].now += o.samples[i];
      if (live[g].now > live[g].most) {
        live[g].most = live[g].now;
        sites[g].peak_event = event;
        sites[g].peak_time = s.from;
      }
    } else if (s.ends && event == s.to_event) {
      live[g].now -= o.samples[i];
    }
  }
}

std::vector<double> ranks_of(std::vector<std::int64_t> const& values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) {
      ranks[order[k]] = static_cast<double>(i + end - 1) / 2;  // equal ones share their ranks
    }
    i = end;
  }
  return ranks;
}

double correlation(std::vector<double> const& x, std::vector<double> const& y) {
  const auto n = static_cast<double>(x.size());
  const double mean = (n - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

double median(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle);
}

}  // namespace

std::vector<site_lives> lives_of_sites(index_usage const& u, std::uint64_t least_blocks) {
  trace_index const& index = *u.index;
  object_columns const& o = index.objects();
  const group_map groups(u.choice.codes, index.stacks(), grouping::site);
  std::vector<std::uint64_t> blocks(groups.names().size());
  std::vector<std::uint32_t> site_of(u.own.size(), group_map::none);
  for (stack_tree::node_id s = 0; s < u.own.size(); ++s) {
    if (u.own[s].allocated.blocks == 0) continue;
    site_of[s] = groups.allocating(s);
    if (site_of[s] != group_map::none) blocks[site_of[s]] += u.own[s].allocated.blocks;
  }
  std::vector<site_lives> sites;
  std::vector<std::uint32_t> number(blocks.size(), group_map::none);
  for (stack_tree::node_id s = 0; s < u.own.size(); ++s) {
    std::uint32_t& g = site_of[s];
    if (g == group_map::none) continue;
    if (blocks[g] < least_blocks) {
      g = group_map::none;
      continue;
    }
    if (number[g] == group_map::none) {
      number[g] = static_cast<std::uint32_t>(sites.size());
      sites.emplace_back();
      sites.back().site = groups.names().text(g);
      sites.back().function = function_at(u, s);
    }
    g = number[g];
  }
  find_peaks(u, site_of, sites);
  const std::int64_t duration = std::max<std::int64_t>(index.facts().duration.count(), 1);
  u.choice.objects.for_each([&](std::size_t i) {
    const std::uint32_t g = site_of[o.stack[i]];
    if (g == group_map::none) return;
    site_lives& l = sites[g];
    const live_interval s = live_interval_of(o, i, u.choice.chosen.heaps);
    const amount a = amount::of_block(o.samples[i], o.length[i], index.facts().info.sample_rate);
    const double share = static_cast<double>(s.from) / static_cast<double>(duration);
    const auto quarter = static_cast<std::size_t>(std::clamp(share * 4, 0.0, 3.0));
    if (l.objects.empty()) l.first_born = l.last_born = s.from;
    l.first_born = std::min(l.first_born, s.from);
    l.last_born = std::max(l.last_born, s.from);
    l.objects.push_back(static_cast<std::uint32_t>(i));
    l.allocated += a;
    ++l.born_in[quarter];
    if (!s.ends) {
      l.in_use += a;
      ++l.survivors_in[quarter];
      if (quarter == 1 || quarter == 2) l.middle += a;
    }
    if (s.from <= duration / 2 && (!s.ends || s.to > duration / 2)) l.at_half += a;
    if (s.from_event <= l.peak_event && s.to_event > l.peak_event) l.peak += a;
  });
  return sites;
}

lifetime_growth growth_of(index_usage const& u, site_lives const& site) {
  object_columns const& o = u.index->objects();
  std::vector<std::int64_t> born, lifetimes;
  for (const std::uint32_t i : site.objects) {
    const live_interval s = live_interval_of(o, i, u.choice.chosen.heaps);
    if (s.from > site.peak_time) continue;
    born.push_back(s.from);
    lifetimes.push_back((s.ends ? s.to : u.index->facts().duration.count()) - s.from);
  }
  lifetime_growth g;
  g.blocks = born.size();
  if (g.blocks < 3) return g;
  const std::vector<double> by_birth = ranks_of(born);
  g.rank_correlation = correlation(by_birth, ranks_of(lifetimes));
  g.deviations = g.rank_correlation * std::sqrt(static_cast<double>(g.blocks) - 1);
  std::vector<std::int64_t> first, last;
  for (std::size_t i = 0; i < born.size(); ++i) {
    const double place = by_birth[i] / static_cast<double>(born.size());
    if (place < 1.0 / 3) first.push_back(lifetimes[i]);
    if (place >= 2.0 / 3) last.push_back(lifetimes[i]);
  }
  g.early = median(std::move(first));
  g.late = median(std::move(last));
  return g;
}

}  // namespace memprof::analysis
