// SPDX-License-Identifier: MIT
#include "analysis/annotation.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/function_table.hpp"

namespace memprof::analysis {
namespace {

std::vector<annotated_line> sorted_by_line(std::vector<annotated_line> lines) {
  std::ranges::sort(lines, {}, &annotated_line::line);
  return lines;
}

}  // namespace

std::vector<annotated_function> annotate(usage const& u, name_pattern const& function) {
  const group_map lines(u.codes, u.stacks, grouping::line_of_function);
  const std::vector<function_row> of_lines = function_table(u, lines);
  std::map<std::pair<name_table::id, name_table::id>, std::vector<annotated_line>> found;
  for (name_table::id i = 0; i < of_lines.size(); ++i) {
    frame const* const f = lines.first_frame(i);
    if (f == nullptr || of_lines[i].total.allocated.blocks == 0) continue;
    if (!function.matches(u.codes.functions().text(f->function))) continue;
    found[{f->function, f->file}].push_back({f->line, of_lines[i].total});
  }

  const group_map functions(u.codes, u.stacks, grouping::function);
  const std::vector<function_row> of_functions = function_table(u, functions);
  std::map<name_table::id, amounts> sums;  // of a function, in all files
  for (name_table::id i = 0; i < of_functions.size(); ++i) {
    if (frame const* const f = functions.first_frame(i)) sums[f->function] = of_functions[i].total;
  }
  std::vector<annotated_function> all;
  for (auto& [where, annotated] : found) {
    all.push_back({u.codes.functions().text(where.first), u.codes.files().text(where.second),
                   sums[where.first], sorted_by_line(std::move(annotated))});
  }
  std::ranges::stable_sort(all, std::ranges::greater(),
                           [](annotated_function const& f) { return f.sums.allocated.samples; });
  return all;
}

}  // namespace memprof::analysis
