// SPDX-License-Identifier: MIT
#include "analysis/index_lives.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace memprof::analysis {
namespace {

using std::chrono::microseconds;

std::uint64_t lifetime_of(live_interval const& s, trace_facts const& facts) {
  const std::int64_t end = s.ends ? s.to : facts.duration.count();
  return end > s.from ? static_cast<std::uint64_t>(end - s.from) : 0;
}

class power_bins {
 public:
  power_bin& of(std::uint64_t value) {
    return bins_[static_cast<std::size_t>(std::bit_width(value))];
  }
  std::vector<power_bin> finish() {
    std::size_t first = 0, last = bins_.size();
    while (first < last && bins_[first].all.blocks == 0) ++first;
    while (last > first && bins_[last - 1].all.blocks == 0) --last;
    std::vector<power_bin> result;
    for (std::size_t i = first; i < last; ++i) {
      bins_[i].from = i == 0 ? 0 : std::uint64_t{1} << (i - 1);
      bins_[i].to = i == 64 ? ~std::uint64_t{0} : std::uint64_t{1} << i;
      result.push_back(bins_[i]);
    }
    return result;
  }

 private:
  std::array<power_bin, 65> bins_{};
};

}  // namespace

index_histograms histograms_of(trace_index const& index, index_choice const& choice) {
  object_columns const& o = index.objects();
  power_bins lengths, lifetimes;
  for_each_live_interval(index, choice, [&](std::size_t i, live_interval const& s) {
    const amount a = amount::of_block(o.samples[i], o.length[i], index.facts().info.sample_rate);
    for (power_bin* bin :
         {&lengths.of(o.length[i]), &lifetimes.of(lifetime_of(s, index.facts()))}) {
      bin->all += a;
      (s.ends ? bin->died : bin->survived) += a.samples;
    }
  });
  return {lengths.finish(), lifetimes.finish()};
}

std::vector<scatter_point> scatter_of(trace_index const& index, index_choice const& choice,
                                      std::size_t most) {
  std::vector<std::uint32_t> chosen;
  chosen.reserve(static_cast<std::size_t>(choice.count));
  choice.objects.for_each([&](std::size_t i) { chosen.push_back(static_cast<std::uint32_t>(i)); });
  if (chosen.size() > most) {
    std::nth_element(
        chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(most), chosen.end(),
        [](std::uint32_t a, std::uint32_t b) { return scatter_hash(a) < scatter_hash(b); });
    chosen.resize(most);
    std::sort(chosen.begin(), chosen.end());
  }
  std::vector<scatter_point> result;
  result.reserve(chosen.size());
  for (const std::uint32_t i : chosen) {
    const live_interval s = live_interval_of(index.objects(), i, choice.chosen.heaps);
    const auto life = static_cast<std::int64_t>(lifetime_of(s, index.facts()));
    result.push_back(
        {{microseconds{s.from}, microseconds{life}, s.ends}, index.objects().samples[i]});
  }
  return result;
}

std::vector<survival_point> survival_of(trace_index const& index, index_choice const& choice) {
  survival_builder builder;
  for_each_live_interval(index, choice, [&](std::size_t i, live_interval const& s) {
    const std::uint64_t age = lifetime_of(s, index.facts());
    if (s.ends) {
      builder.died(age, index.objects().samples[i]);
    } else {
      builder.still_lives(age, index.objects().samples[i]);
    }
  });
  return builder.curve();
}

std::vector<promotion_row> promotion_of(index_usage const& u, grouping by) {
  trace_index const& index = *u.index;
  object_columns const& o = index.objects();
  const group_map groups(u.choice.codes, index.stacks(), by);
  std::vector<name_table::id> group_of(u.own.size(), group_map::none);
  for (stack_tree::node_id s = 0; s < u.own.size(); ++s) {
    if (u.own[s].allocated.blocks > 0) group_of[s] = groups.allocating(s);
  }
  std::vector<promotion_row> rows(groups.names().size());
  std::vector<double> squares(rows.size());
  u.choice.objects.for_each([&](std::size_t i) {
    const name_table::id g = group_of[o.stack[i]];
    if (g == group_map::none || o.source[i] != trace::heap::minor) return;
    const amount a = amount::of_block(o.samples[i], o.length[i], index.facts().info.sample_rate);
    rows[g].minor += a;
    if (o.promoted[i] != object_columns::never) rows[g].promoted += a;
    squares[g] += static_cast<double>(a.samples) * static_cast<double>(a.samples);
  });
  std::vector<promotion_row> result;
  for (name_table::id g = 0; g < rows.size(); ++g) {
    promotion_row& r = rows[g];
    if (r.minor.blocks == 0) continue;
    r.name = groups.names().text(g);
    const auto whole = static_cast<double>(r.minor.samples);
    const double once = whole / squares[g];
    r.share = estimated_part(static_cast<double>(r.promoted.samples) * once, whole * once);
    result.push_back(std::move(r));
  }
  std::sort(result.begin(), result.end(), [](promotion_row const& a, promotion_row const& b) {
    if (a.promoted.samples != b.promoted.samples) return a.promoted.samples > b.promoted.samples;
    return a.minor.samples != b.minor.samples ? a.minor.samples > b.minor.samples : a.name < b.name;
  });
  return result;
}

}  // namespace memprof::analysis
