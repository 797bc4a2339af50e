// SPDX-License-Identifier: MIT
// /api/series, /api/stacked, /api/ages
#include "export/export.hpp"
#include "serve/routes_json.hpp"

namespace memprof::serve {
namespace {

using analysis::time_series;

json column(time_series const& series, std::uint64_t analysis::series_step::*what) {
  json list = json::array();
  for (analysis::series_step const& s : series.steps) list.push_back(s.*what);
  return list;
}

json bytes_per_sample(query const& a) { return exports::json_number(a.facts().info.bytes_of(1)); }

json peak_json(query const& a, analysis::index_usage const& u) {
  return {{"time_us", u.peak_time.count()}, {"amount", a.amounts().object(u.total.at_peak)}};
}

}  // namespace

json series_json(query const& a, parameters& p) {
  const std::size_t points = p.count("points", 450, 1, 10'000);
  p.finish();
  const auto usage = a.frames();
  analysis::trace_index const& index = *usage->index;
  const time_series whole = series_of(index, a.state().whole->choice, points);
  const bool all = usage->choice.everything;
  const time_series chosen = all ? whole : series_of(index, usage->choice, points);
  json j;
  j["step_us"] = whole.step.count();
  j["total"] = column(whole, &analysis::series_step::live);
  j["filtered"] = all ? json(nullptr) : column(chosen, &analysis::series_step::live);
  j["allocated"] = column(chosen, &analysis::series_step::allocated);
  j["freed"] = column(chosen, &analysis::series_step::freed);
  j["bytes_per_sample"] = bytes_per_sample(a);
  j["peak"] = peak_json(a, *a.state().whole);
  j["filtered_peak"] = all ? json(nullptr) : peak_json(a, *usage);
  return j;
}

json stacked_json(query const& a, parameters& p) {
  const analysis::grouping by = grouping_of(p);
  const std::size_t n = p.count("n", 8, 1, 100);
  const std::size_t points = p.count("points", 200, 1, 10'000);
  p.finish();
  const auto stacked = analysis::stacked_of(*a.sites(), by, n, points);
  json rows = json::array();
  for (auto const& r : stacked.rows) {
    rows.push_back({{"name", r.name ? json(*r.name) : json(nullptr)}, {"samples", r.samples}});
  }
  return {{"step_us", stacked.step.count()},
          {"rows", std::move(rows)},
          {"bytes_per_sample", bytes_per_sample(a)}};
}

json ages_json(query const& a, parameters& p) {
  const std::size_t bands = p.count("bands", 6, 1, 20);
  const std::size_t points = p.count("points", 200, 1, 10'000);
  p.finish();
  const auto usage = a.frames();
  const auto ages = analysis::ages_of(*usage->index, usage->choice, bands, points);
  json list = json::array();
  for (auto const& b : ages.bands) {
    list.push_back({{"from_us", b.from.count()},
                    {"to_us", b.to ? json(b.to->count()) : json(nullptr)},
                    {"samples", b.samples}});
  }
  return {{"step_us", ages.step.count()},
          {"bands", std::move(list)},
          {"bytes_per_sample", bytes_per_sample(a)}};
}

}  // namespace memprof::serve
