// SPDX-License-Identifier: MIT
#include "analysis/function_table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace memprof::analysis {
namespace {

/// From codes to the groups of their frames.
class group_map {
 public:
  group_map(usage const& u, grouping by) : u_(u), by_(by) {
    for (code_table::id i = 0; i < u.codes.size(); ++i) {
      first_.push_back(groups_.size());
      for (frame const& f : u.codes.frames(i)) groups_.push_back(names_.intern(name_of(f)));
      if (!u.codes.is_known(i)) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "0x%llx",
                      static_cast<unsigned long long>(u.codes.code(i)));
        groups_.push_back(names_.intern(text.data()));
      }
    }
    first_.push_back(groups_.size());
  }
  /// Outermost first.
  [[nodiscard]] std::span<name_table::id const> of(code_table::id i) const {
    return std::span(groups_).subspan(first_[i], first_[i + 1] - first_[i]);
  }
  [[nodiscard]] name_table const& names() const { return names_; }

 private:
  std::string name_of(frame const& f) const {
    std::string const& function = u_.codes.functions().text(f.function);
    std::string const& file = u_.codes.files().text(f.file);
    switch (by_) {
      case grouping::function:
        return function;
      case grouping::file:
        return file;
      case grouping::module:
        return std::string(module_of(function, file));
      case grouping::site:
        break;
    }
    std::string text = function + " " + file + ":" + std::to_string(f.line);
    if (f.end_char != 0) {
      text += ":" + std::to_string(f.start_char) + "-" + std::to_string(f.end_char);
    }
    return text;
  }

  usage const& u_;
  grouping by_;
  name_table names_;
  std::vector<name_table::id> groups_;
  std::vector<std::size_t> first_;
};

}  // namespace

std::vector<function_row> function_table(usage const& u, grouping by) {
  const group_map groups(u, by);
  std::vector<function_row> rows(groups.names().size());
  for (name_table::id i = 0; i < rows.size(); ++i) rows[i].name = groups.names().text(i);

  std::vector<amounts> below(u.own);  // of a node and all below it
  for (std::size_t i = below.size() - 1; i > 0; --i) {
    below[u.stacks[static_cast<stack_tree::node_id>(i)].parent] += below[i];
  }
  for (stack_tree::node_id i = 1; i < u.stacks.size(); ++i) {
    // The allocating function: the innermost one that is not hidden.
    for (auto s = i; s != stack_tree::root; s = u.stacks[s].parent) {
      const auto g = groups.of(u.stacks[s].code);
      if (u.own[i].allocated.blocks == 0) break;
      if (g.empty()) continue;
      rows[g.back()].self += u.own[i];
      break;
    }
  }
  std::vector<std::uint32_t> active(rows.size());
  const tree_order order(u.stacks);
  order.walk(
      [&](stack_tree::node_id i) {
        for (const name_table::id g : groups.of(u.stacks[i].code)) {
          if (active[g]++ == 0) rows[g].total += below[i];
        }
      },
      [&](stack_tree::node_id i) {
        for (const name_table::id g : groups.of(u.stacks[i].code)) --active[g];
      });
  return rows;
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
