// SPDX-License-Identifier: MIT
#include "analysis/code_table.hpp"

#include <algorithm>

#include "analysis/allocation_function.hpp"

namespace memprof::analysis {

name_table::id name_table::intern(std::string_view name) {
  if (const auto at = ids_.find(name); at != ids_.end()) return at->second;
  names_.emplace_back(name);
  const id i = static_cast<id>(names_.size() - 1);
  ids_.emplace(names_.back(), i);
  return i;
}

code_table::id code_table::add(trace::location_code code, trace::reader const& reader,
                               std::uint32_t& place) {
  auto locations = reader.locations(code);
  if (how_.names) locations = how_.names->resolve(locations);
  entry e;
  e.code = code;
  e.first = frames_.size();
  e.known = !locations.empty();
  for (trace::location const& l : locations) {
    for (std::size_t i = 0; i < how_.marks.size(); ++i) {
      auto const& m = how_.marks[i];
      if (m.pattern.matches(m.of_file ? l.filename : l.defname)) e.marks |= std::uint64_t{1} << i;
    }
    const bool hidden = (how_.hide_allocation_functions && only_passes_memory_on(l.defname)) ||
                        std::any_of(how_.hide.begin(), how_.hide.end(),
                                    [&](auto const& p) { return p.matches(l.defname); });
    e.innermost_hidden = hidden;
    if (hidden) continue;
    frames_.push_back({names_->functions.intern(l.defname), names_->files.intern(l.filename),
                       l.line, l.start_char, l.end_char, &l != locations.data()});
    ++e.count;
  }
  codes_.push_back(e);
  return place = static_cast<id>(codes_.size() - 1);
}

namespace {

/// What of `names` the patterns say: one bit for each mark, and whether it is hidden.
struct name_facts {
  std::vector<std::uint64_t> marks;
  std::vector<char> hidden;

  name_facts(name_table const& names, naming const& how, bool files)
      : marks(names.size()), hidden(names.size()) {
    for (name_table::id i = 0; i < names.size(); ++i) {
      std::string const& name = names.text(i);
      for (std::size_t m = 0; m < how.marks.size(); ++m) {
        if (how.marks[m].of_file == files && how.marks[m].pattern.matches(name)) {
          marks[i] |= std::uint64_t{1} << m;
        }
      }
      if (files) continue;
      hidden[i] = (how.hide_allocation_functions && only_passes_memory_on(name)) ||
                  std::any_of(how.hide.begin(), how.hide.end(),
                              [&](auto const& p) { return p.matches(name); });
    }
  }
};

}  // namespace

code_table code_table::seen(naming how, bool inlines) const {
  code_table result;
  const name_facts functions(names_->functions, how, false);
  const name_facts files(names_->files, how, true);
  result.names_ = names_;
  result.codes_.reserve(codes_.size());
  result.frames_.reserve(frames_.size());
  for (entry const& old : codes_) {
    entry e = old;
    e.first = result.frames_.size();
    e.count = 0;
    e.marks = 0;
    for (std::size_t i = 0; i < old.count; ++i) {
      frame const& f = frames_[old.first + i];
      e.marks |= functions.marks[f.function] | files.marks[f.file];
      if (i > 0 && !inlines) continue;
      e.innermost_hidden = functions.hidden[f.function] != 0;
      if (e.innermost_hidden) continue;
      result.frames_.push_back(f);
      ++e.count;
    }
    result.codes_.push_back(e);
  }
  result.how_ = std::move(how);
  return result;
}

}  // namespace memprof::analysis
