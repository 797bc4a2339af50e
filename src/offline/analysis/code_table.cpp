// SPDX-License-Identifier: MIT
#include "analysis/code_table.hpp"

#include <algorithm>

#include "analysis/own_frame.hpp"
#include "page_columns/page_columns.hpp"

namespace memprof::analysis {

name_table::id name_table::intern(std::string_view name) {
  if (const auto at = ids_.find(name); at != ids_.end()) return at->second;
  names_.emplace_back(name);
  const id i = static_cast<id>(names_.size() - 1);
  ids_.emplace(names_.back(), i);
  return i;
}

/// Neither hidden nor marked: no pattern of functions means it.
code_table::id code_table::add_thread(trace::location_code code, std::uint32_t& place) {
  thread_groups::group const& group = how_.threads->of_code(code);
  entry e;
  e.module = names_->modules.intern({});
  e.code = code;
  e.first = frames_.size();
  e.known = true;
  e.count = 1;
  frames_.push_back(
      {names_->functions.intern(group.label), names_->files.intern({}), 0, 0, 0, false});
  codes_.push_back(e);
  return place = static_cast<id>(codes_.size() - 1);
}

code_table::id code_table::add(trace::location_code code, trace::legend legend,
                               std::uint32_t& place) {
  if (how_.threads && thread_groups::is_code(code)) return add_thread(code, place);
  auto locations = legend.locations(code);
  entry e;
  const auto raw = locations.empty() ? std::nullopt : symbolize::parse_raw(locations.front());
  e.module = names_->modules.intern(raw ? raw->module : std::string_view{});
  if (how_.names) locations = how_.names->resolve(locations, legend.info().start_time);
  locations = whole_.complete(locations, legend);
  e.code = code;
  e.first = frames_.size();
  e.known = !locations.empty();
  // Without lines nothing inlined is known, and a task may be within our function that calls it.
  const std::string task = locations.size() == 1 && locations.front().line == 0
                               ? page_columns::task_within(locations.front().defname)
                               : std::string();
  own_frames ours;
  for (trace::location const& l : locations) {
    const std::string_view name = task.empty() ? l.defname : std::string_view(task);
    for (std::size_t i = 0; i < how_.marks.size(); ++i) {
      auto const& m = how_.marks[i];
      if (m.pattern.matches(m.of_file ? l.filename : name)) e.marks |= std::uint64_t{1} << i;
    }
    const bool hidden =
        (ours.is_next_own(l) && task.empty()) ||
        (how_.hide_allocation_functions && page_columns::only_passes_memory_on(name)) ||
        std::any_of(how_.hide.begin(), how_.hide.end(),
                    [&](auto const& p) { return p.matches(name); });
    if (hidden) continue;
    frames_.push_back({names_->functions.intern(name), names_->files.intern(l.filename), l.line,
                       l.start_char, l.end_char, &l != locations.data()});
    ++e.count;
  }
  codes_.push_back(e);
  return place = static_cast<id>(codes_.size() - 1);
}

}  // namespace memprof::analysis
