// SPDX-License-Identifier: MIT
#include <cmath>

#include "tools/json_report.hpp"
#include "tools/stats_report.hpp"

namespace memprof::tools {
namespace {

using json = nlohmann::ordered_json;

json moments_json(analysis::size_moments const& m) {
  return {{"total_count", m.count},
          {"mean", m.mean},
          {"variance", m.variance},
          {"standard_deviation", m.standard_deviation},
          {"max", m.max}};
}

json moments_json(std::vector<analysis::size_moments> const& all) {
  json result = json::array();
  for (auto const& m : all) result.push_back(moments_json(m));
  return result;
}

json lifetime_json(analysis::lifetime_summary const& l) {
  json result{{"survivors", l.survivors}, {"max", l.max}, {"mean", l.mean}};
  if (!l.by_32.empty()) result["hist_0_32_by_32"] = l.by_32;
  result["hist_all_by_100"] = l.by_100;
  result["min"] = l.min;
  return result;
}

json bytes_json(trace::info const& info, std::uint64_t samples,
                analysis::moment m = analysis::moment::given) {
  const auto e = analysis::estimated_bytes(info, samples, m);
  return {{"samples", samples},
          {"bytes", json_number(e.value)},
          {"lower", json_number(e.lower)},
          {"upper", json_number(e.upper)}};
}

json share_json(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return nullptr;
  const auto e = analysis::estimated_share(part, whole);
  return {{"share", e.value}, {"lower", e.lower}, {"upper", e.upper}};
}

json histogram_json(analysis::log_histogram const& h) {
  json result = json::array();
  for (auto const& b : h.bins()) {
    result.push_back({{"lower", b.lower},
                      {"upper", b.upper},
                      {"samples", json_number(b.weight)},
                      {"blocks", b.count}});
  }
  return result;
}

json quantiles_json(analysis::log_histogram const& h) {
  if (h.count() == 0) return nullptr;
  return {{"p50", h.quantile(0.5)}, {"p90", h.quantile(0.9)}, {"p99", h.quantile(0.99)}};
}

json series_json(stats_subject const& s) {
  analysis::time_series const& series = s.numbers.series;
  json steps = json::array();
  std::int64_t at = 0;
  for (auto const& step : series.steps) {
    steps.push_back({{"time_us", at},
                     {"allocated_samples", step.allocated},
                     {"promoted_samples", step.promoted},
                     {"freed_samples", step.freed},
                     {"live_at_end", bytes_json(s.info, step.live)}});
    at += series.step.count();
  }
  return {{"step_us", series.step.count()}, {"steps", steps}};
}

json sites_json(stats_subject const& s) {
  json result = json::array();
  for (std::size_t i = 0; i < s.sites.size() && i < s.top; ++i) {
    analysis::site_row const& r = s.sites[i];
    json one{{"function", r.function}};
    if (!r.position.empty()) one["position"] = r.position;
    one["blocks_sampled"] = r.sampled;
    one["blocks_estimated"] = json_number(r.blocks);
    one["allocated"] = bytes_json(s.info, r.samples);
    one["in_use_at_peak"] = bytes_json(s.info, r.peak_samples, analysis::moment::picked);
    one["in_use_at_end"] = bytes_json(s.info, r.live_samples);
    one["promoted"] = share_json(r.promoted, r.samples);
    one["mean_lifetime_us"] =
        r.died > 0 ? json_number(r.died_lifetime / static_cast<double>(r.died)) : nullptr;
    one["samples_by_size_class"] = r.by_size_class;
    result.push_back(one);
  }
  return result;
}

}  // namespace

json alloc_stats_json(analysis::alloc_stats const& a) {
  json result{{"events_after_minor_filter", a.events}, {"major_allocs", a.allocations}};
  if (a.allocations == 0) return result;
  json by_size = json::object();
  for (auto const& [size, count] : a.count_by_size) by_size[std::to_string(size)] = count;
  result["count_by_size"] = by_size;
  result["hist_small_0_32_by_32"] = a.small;
  result["hist_medium_32_256_by_100"] = a.medium;
  result["hist_large_256_10000_by_100"] = a.large;
  result["over_10000"] = {{"count", a.over_10000}, {"hist_by_100", nullptr}};
  if (a.over_10000_by_100) result["over_10000"]["hist_by_100"] = *a.over_10000_by_100;
  result["large_over_256"] = {{"small", a.allocations - a.over_256},
                              {"large", a.over_256},
                              {"percentage_large", 100 * static_cast<double>(a.over_256) /
                                                       static_cast<double>(a.allocations)}};
  result["size_moments"] = moments_json(a.moments);
  result["size_moments_halves"] = moments_json(a.halves);
  result["size_sd_tenths"] = a.sd_of_tenths;
  result["large_count_tenths"] = a.over_256_of_tenths;
  result["size_sd_halves_without_100_at_each_end"] = a.sd_of_inner_halves;
  result["large_moments_halves_of_that"] = moments_json(a.over_256_inner_halves);
  result["lifetime_ticks"] = lifetime_json(a.ticks);
  result["lifetime_time_true"] = lifetime_json(a.time);
  result["lifetime_time_as_notebook"] = lifetime_json(a.time_as_notebook);
  return result;
}

json stats_json(stats_subject const& s) {
  analysis::statistics const& n = s.numbers;
  json r = json_report("stats");
  r["file"] = s.name;
  if (!s.under.empty()) r["under"] = s.under;
  r["sample_rate"] = s.info.sample_rate;
  r["word_bits"] = s.info.word_bits;
  r["confidence"] = 0.95;
  r["events"] = n.events;
  r["blocks_sampled"] = n.stacks.total.allocated.blocks;
  r["duration_us"] = n.stacks.duration.count();
  r["allocated"] = bytes_json(s.info, n.stacks.total.allocated.samples);
  r["allocated_minor"] = bytes_json(s.info, n.minor);
  r["allocated_major"] = bytes_json(s.info, n.major);
  r["allocated_external"] = bytes_json(s.info, n.external);
  r["promoted"] = bytes_json(s.info, n.promoted);
  r["promotion_rate"] = share_json(n.promoted, n.minor);
  r["peak"] = bytes_json(s.info, n.stacks.total.at_peak.samples, analysis::moment::picked);
  r["peak"]["time_us"] = n.stacks.peak_time.count();
  r["never_over"] = {{"bytes", json_number(analysis::estimated_bytes(s.info, n.stacks.most).upper)},
                     {"samples", n.stacks.most}};
  r["in_use_at_end"] = bytes_json(s.info, n.stacks.total.in_use.samples);
  r["series"] = series_json(s);
  r["sizes_words"] = {{"quantiles", quantiles_json(n.sizes)},
                      {"histogram", histogram_json(n.sizes)}};
  json curve = json::array();
  for (auto const& p : n.lifetimes.curve()) {
    curve.push_back({{"age_us", p.age},
                     {"share", p.share},
                     {"lower", p.lower},
                     {"upper", p.upper},
                     {"samples_at_risk", json_number(p.at_risk)}});
  }
  r["lifetimes_us"] = {{"mean_of_freed", json_number(n.lifetimes.mean_age_at_death())},
                       {"quantiles_of_freed", quantiles_json(n.lifetimes.deaths())},
                       {"histogram_of_freed", histogram_json(n.lifetimes.deaths())},
                       {"histogram_of_survivors", histogram_json(n.lifetimes.survivors())},
                       {"survival", curve}};
  r["by"] = s.by == analysis::site_kind::site ? "site" : "function";
  r["size_class_limits_words"] = analysis::size_class_limits;
  r["sites"] = sites_json(s);
  r["sites_in_all"] = s.sites.size();
  r["alloc_stats"] = alloc_stats_json(n.notebook);
  return r;
}

}  // namespace memprof::tools
