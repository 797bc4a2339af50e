// SPDX-License-Identifier: MIT
#include "analysis/sites.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/position_text.hpp"

namespace memprof::analysis {
namespace {

void add(site_row& to, usage_row const& r, row_lifetimes const& lives) {
  to.sampled += r.sums.allocated.blocks;
  to.promoted += lives.promoted;
  to.died += lives.died;
  to.samples += r.sums.allocated.samples;
  to.live_samples += r.sums.in_use.samples;
  to.peak_samples += r.sums.at_peak.samples;
  to.blocks += r.sums.allocated.objects;
  to.died_lifetime += lives.died_lifetime;
  const auto limit = std::lower_bound(size_class_limits.begin(), size_class_limits.end(), r.length);
  to.by_size_class[static_cast<std::size_t>(limit - size_class_limits.begin())] +=
      r.sums.allocated.samples;
}

/// The innermost frame of `r` that is not hidden; none if it has no backtrace, or nothing is known
/// of the code.
std::optional<frame> innermost(usage const& u, usage_row const& r) {
  for (auto s = r.stack; s != stack_tree::root; s = u.stacks.parent(s)) {
    const code_table::id code = u.stacks.code(s);
    if (const auto frames = u.codes.frames(code); !frames.empty()) return frames.back();
    if (!u.codes.is_known(code)) break;
  }
  return std::nullopt;
}

}  // namespace

std::vector<site_row> sites_of(usage const& u, site_kind kind) {
  // Several codes may stand for the same place.
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t, std::uint32_t>,
           site_row>
      by_place;
  for (std::size_t i = 0; i < u.rows.size(); ++i) {
    usage_row const& r = u.rows[i];
    const auto f = innermost(u, r);
    site_row* to = nullptr;
    if (!f) {
      std::string name = "(no backtrace)";
      if (r.stack != stack_tree::root) {
        name = fmt::format("${}", u.codes.code(u.stacks.code(r.stack)));
      }
      to = &by_place[{name, "", 0, 0, 0}];
      to->function = std::move(name);
    } else if (kind == site_kind::function) {
      to = &by_place[{u.codes.functions().text(f->function), "", 0, 0, 0}];
      to->function = u.codes.functions().text(f->function);
    } else {
      std::string const& file = u.codes.files().text(f->file);
      to = &by_place[{u.codes.functions().text(f->function), file, f->line, f->start_char,
                      f->end_char}];
      if (to->function.empty()) {
        to->function = u.codes.functions().text(f->function);
        to->position = position_text(file, *f);
      }
    }
    add(*to, r, u.lifetimes[i]);
  }
  std::vector<site_row> result;
  for (auto& [place, row] : by_place) result.push_back(std::move(row));
  std::stable_sort(result.begin(), result.end(),
                   [](site_row const& a, site_row const& b) { return a.samples > b.samples; });
  return result;
}

}  // namespace memprof::analysis
