// SPDX-License-Identifier: MIT
#include "analysis/sites.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace memprof::analysis {
namespace {

std::pair<std::string, std::string> names_of(trace::location_code code,
                                             trace::reader const& reader, site_kind kind) {
  if (code == 0) return {"(no backtrace)", ""};
  const auto locations = reader.locations(code);
  if (locations.empty()) return {"$" + std::to_string(code), ""};
  trace::location const& l = locations.back();
  std::pair<std::string, std::string> result{l.defname, ""};
  if (kind == site_kind::site) {
    result.second = std::string(l.filename) + ":" + std::to_string(l.line) + ":" +
                    std::to_string(l.start_char) + "-" + std::to_string(l.end_char);
  }
  return result;
}

void add(site_row& to, stack_row const& r) {
  to.sampled += r.sampled;
  to.promoted += r.promoted;
  to.died += r.died;
  to.samples += r.allocated.samples;
  to.live_samples += r.live.samples;
  to.peak_samples += r.at_peak.samples;
  to.blocks += r.allocated.blocks;
  to.died_lifetime += r.died_lifetime;
  const auto limit =
      std::lower_bound(size_class_limits.begin(), size_class_limits.end(), r.length);
  to.by_size_class[static_cast<std::size_t>(limit - size_class_limits.begin())] +=
      r.allocated.samples;
}

}  // namespace

std::vector<site_row> sites_of(stack_profile const& profile, trace::reader const& reader,
                               site_kind kind) {
  std::unordered_map<trace::location_code, site_row> by_code;
  for (stack_row const& r : profile.rows) add(by_code[profile.stacks.code(r.stack)], r);
  // Several codes may stand for the same place.
  std::map<std::pair<std::string, std::string>, site_row> by_name;
  for (auto const& [code, row] : by_code) {
    site_row& to = by_name[names_of(code, reader, kind)];
    to.sampled += row.sampled;
    to.promoted += row.promoted;
    to.died += row.died;
    to.samples += row.samples;
    to.live_samples += row.live_samples;
    to.peak_samples += row.peak_samples;
    to.blocks += row.blocks;
    to.died_lifetime += row.died_lifetime;
    for (std::size_t i = 0; i < to.by_size_class.size(); ++i) {
      to.by_size_class[i] += row.by_size_class[i];
    }
  }
  std::vector<site_row> result;
  for (auto& [name, row] : by_name) {
    row.function = name.first;
    row.position = name.second;
    result.push_back(std::move(row));
  }
  std::stable_sort(result.begin(), result.end(), [](site_row const& a, site_row const& b) {
    return a.samples > b.samples;
  });
  return result;
}

}  // namespace memprof::analysis
