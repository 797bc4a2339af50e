// SPDX-License-Identifier: MIT
#include "analysis/group_map.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "analysis/position_text.hpp"

namespace memprof::analysis {

group_map::group_map(code_table const& codes, stack_tree const& stacks, grouping by)
    : codes_(codes), stacks_(stacks), by_(by) {
  for (code_table::id i = 0; i < codes.size(); ++i) {
    first_.push_back(groups_.size());
    if (by == grouping::thread && !thread_groups::is_code(codes.code(i))) continue;
    for (frame const& f : codes.frames(i)) add(name_of(f), &f);
    if (!codes.is_known(i)) add(fmt::format("{:#x}", codes.code(i)), nullptr);
  }
  first_.push_back(groups_.size());
}

void group_map::add(std::string_view name, frame const* f) {
  const name_table::id group = names_.intern(name);
  if (group == examples_.size()) examples_.push_back(f);
  groups_.push_back(group);
}

name_table::id group_map::allocating(stack_tree::node_id stack) const {
  for (auto s = stack; s != stack_tree::root; s = stacks_.parent(s)) {
    if (const auto g = of(stacks_.code(s)); !g.empty()) return g.back();
  }
  return none;
}

std::string group_map::name_of(frame const& f) const {
  std::string const& function = codes_.functions().text(f.function);
  std::string const& file = codes_.files().text(f.file);
  switch (by_) {
    case grouping::function:
    case grouping::thread:
      return function;
    case grouping::file:
      return file;
    case grouping::module:
      return std::string(module_of(function, file));
    case grouping::line:
      return position_text(file, {.line = f.line});
    case grouping::line_of_function:
      return fmt::format("{} {}", function, position_text(file, {.line = f.line}));
    case grouping::site:
      break;
  }
  return fmt::format("{} {}", function, position_text(file, f));
}

std::string_view module_of(std::string_view function, std::string_view file) {
  // The arguments of templates and functions are no part of the path.
  std::size_t end = std::min(function.find('('), function.size());
  int depth = 0;
  for (std::size_t i = end; i-- > 0;) {
    const char c = function[i];
    if (c == '>') ++depth;
    if (c == '<') --depth;
    if (depth > 0) continue;
    if (c == ':' && i > 0 && function[i - 1] == ':') return function.substr(0, i - 1);
    if (c == '.' && i > 0 && i + 1 < function.size()) return function.substr(0, i);
  }
  if (!function.empty() && function[0] >= 'A' && function[0] <= 'Z' && file.ends_with(".ml")) {
    return function;  // the toplevel of an OCaml module
  }
  return file.substr(file.find_last_of('/') == file.npos ? 0 : file.find_last_of('/') + 1);
}

}  // namespace memprof::analysis
