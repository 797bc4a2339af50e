// SPDX-License-Identifier: MIT
/// \file
/// Frames as groups: functions, positions, files or modules.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/code_table.hpp"
#include "analysis/stack_tree.hpp"

namespace memprof::analysis {

///  - `function`: by name, over all files.
///  - `site`: name and position: for totals, of the calls.
///  - `line`: file and line, whatever the function.
///  - `line_of_function`: function, file and line.
///  - `thread`: the thread that allocated, of usage_options::by_thread; nothing else is in a group.
///  - `module`: what stands before the last '.' (OCaml) or '::' (C++) of the name: a module, class
///    or namespace; the file's base name if there is none.
enum class grouping { function, site, line, line_of_function, file, module, thread };

/// From codes to the groups of their frames. Code of which nothing is known: "0x<code>". Refers to
/// what it was made of.
class group_map {
 public:
  static constexpr name_table::id none = std::numeric_limits<name_table::id>::max();

  group_map(code_table const& codes, stack_tree const& stacks, grouping by);

  /// Outermost first.
  [[nodiscard]] std::span<name_table::id const> of(code_table::id i) const {
    return std::span(groups_).subspan(first_[i], first_[i + 1] - first_[i]);
  }
  /// The group that allocates: of the innermost frame that is not hidden. `none` if there is none.
  [[nodiscard]] name_table::id allocating(stack_tree::node_id stack) const;
  [[nodiscard]] name_table const& names() const noexcept { return names_; }
  /// The first of the frames of a group; null for code of which nothing is known.
  [[nodiscard]] frame const* first_frame(name_table::id group) const { return examples_[group]; }

 private:
  void add(std::string_view name, frame const* f);
  [[nodiscard]] std::string name_of(frame const& f) const;

  code_table const& codes_;
  stack_tree const& stacks_;
  grouping by_;
  name_table names_;
  std::vector<frame const*> examples_;  // of each group
  std::vector<name_table::id> groups_;
  std::vector<std::size_t> first_;
};

/// The module of a function, as `grouping::module` means it.
[[nodiscard]] std::string_view module_of(std::string_view function, std::string_view file);

}  // namespace memprof::analysis
