// SPDX-License-Identifier: MIT
#include "analysis/sites.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace memprof::analysis {
namespace {

void add(site_row& to, stack_row const& r) {
  to.sampled += r.sampled;
  to.promoted += r.promoted;
  to.died += r.died;
  to.samples += r.allocated.samples;
  to.live_samples += r.live.samples;
  to.peak_samples += r.at_peak.samples;
  to.blocks += r.allocated.blocks;
  to.died_lifetime += r.died_lifetime;
  const auto limit = std::lower_bound(size_class_limits.begin(), size_class_limits.end(), r.length);
  to.by_size_class[static_cast<std::size_t>(limit - size_class_limits.begin())] +=
      r.allocated.samples;
}

/// The innermost frame of `r`; none if it has no backtrace, or nothing is known of the code.
std::optional<frame> innermost(stack_profile const& p, stack_row const& r) {
  if (r.stack == stack_tree::root) return std::nullopt;
  const auto frames = p.codes.frames(p.stacks[r.stack].code);
  if (frames.empty()) return std::nullopt;
  return frames.back();
}

}  // namespace

std::vector<site_row> sites_of(stack_profile const& p, site_kind kind) {
  // Several codes may stand for the same place.
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t, std::uint32_t>,
           site_row>
      by_place;
  for (stack_row const& r : p.rows) {
    const auto f = innermost(p, r);
    site_row* to = nullptr;
    if (!f) {
      std::string name = "(no backtrace)";
      if (r.stack != stack_tree::root) {
        name = fmt::format("${}", p.codes.code(p.stacks[r.stack].code));
      }
      to = &by_place[{name, "", 0, 0, 0}];
      to->function = std::move(name);
    } else if (kind == site_kind::function) {
      to = &by_place[{p.codes.functions().text(f->function), "", 0, 0, 0}];
      to->function = p.codes.functions().text(f->function);
    } else {
      std::string const& file = p.codes.files().text(f->file);
      to = &by_place[{p.codes.functions().text(f->function), file, f->line, f->start_char,
                      f->end_char}];
      if (to->function.empty()) {
        to->function = p.codes.functions().text(f->function);
        to->position = fmt::format("{}:{}:{}-{}", file, f->line, f->start_char, f->end_char);
      }
    }
    add(*to, r);
  }
  std::vector<site_row> result;
  for (auto& [place, row] : by_place) result.push_back(std::move(row));
  std::stable_sort(result.begin(), result.end(),
                   [](site_row const& a, site_row const& b) { return a.samples > b.samples; });
  return result;
}

}  // namespace memprof::analysis
