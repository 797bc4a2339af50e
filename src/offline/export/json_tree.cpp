// SPDX-License-Identifier: MIT
#include "export/json_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "export/names.hpp"

namespace memprof::exports {
namespace {

using analysis::call_tree;
using analysis::sorted_paths;

class node_writer {
 public:
  explicit node_writer(std::function<void(std::string_view)> const& write) : write_(write) {}

  /// \param name a JSON string.
  void open(std::string_view name, std::uint64_t samples) {
    if (depth_++ > 0) text_ += leaf_ ? ",\"children\":[\n" : ",\n";
    fmt::format_to(std::back_inserter(text_), R"({{"name":{},"samples":{})", name, samples);
    leaf_ = true;
  }
  void close() {
    text_ += leaf_ ? "}" : "]}";
    leaf_ = false;
    if (--depth_ == 0 || text_.size() > 1 << 16) {
      write_(text_);
      text_.clear();
    }
  }
  /// Nodes that are open.
  [[nodiscard]] std::size_t depth() const noexcept { return depth_; }

 private:
  std::function<void(std::string_view)> const& write_;
  std::string text_;
  std::size_t depth_ = 0;
  bool leaf_ = false;  // the last node that was opened is open, and without children
};

constexpr std::string_view root_name = R"("all")";

/// The samples of each node that begins with a path and ends with a later one.
class totals_of_prefixes {
 public:
  explicit totals_of_prefixes(sorted_paths& paths) {
    std::vector<analysis::name_table::id> last, names;
    for (sorted_paths::path const& p : paths.all()) {
      names.clear();
      paths.for_each_name(p, [&](auto name) { names.push_back(name); });
      common_.push_back(
          static_cast<std::uint32_t>(std::ranges::mismatch(last, names).in1 - last.begin()));
      before_.push_back(before_.back() + p.samples);
      std::swap(last, names);
    }
    common_.push_back(0);
    next_.resize(common_.size());
    for (std::size_t i = common_.size() - 1; i-- > 0;) {
      std::size_t j = i + 1;
      while (common_[j] >= common_[i] && j + 1 < common_.size()) j = next_[j];
      next_[i] = static_cast<std::uint32_t>(j);
    }
  }

  [[nodiscard]] std::uint64_t all() const noexcept { return before_.back(); }
  /// So many names a path has in common with the one before it.
  [[nodiscard]] std::size_t common(std::size_t path) const noexcept { return common_[path]; }
  /// Of the nodes that begin with the path, which has `length` names: the innermost first.
  void totals(std::size_t path, std::size_t length, std::vector<std::uint64_t>& to) const {
    to.clear();
    std::size_t end = path + 1;
    for (std::size_t depth = length; depth > common_[path]; --depth) {
      while (common_[end] >= depth) end = next_[end];
      to.push_back(before_[end] - before_[path]);
    }
  }

 private:
  std::vector<std::uint32_t> common_;     // 0 behind the last path
  std::vector<std::uint32_t> next_;       // the next path that has less in common
  std::vector<std::uint64_t> before_{0};  // samples of the paths before each
};

}  // namespace

void write_json_tree(call_tree const& tree, std::function<void(std::string_view)> const& write) {
  const analysis::child_lists children = tree.children_by_name();
  node_writer out(write);
  std::vector<std::pair<call_tree::node_id, std::size_t>> path{{0, 0}};
  out.open(root_name, tree.nodes()[0].total);
  while (!path.empty()) {
    auto& [node, next] = path.back();
    if (next == children.of(node).size()) {
      out.close();
      path.pop_back();
      continue;
    }
    const call_tree::node_id child = children.of(node)[next++];
    if (tree.nodes()[child].total == 0) continue;
    out.open(json_string(tree.name(child)), tree.nodes()[child].total);
    path.emplace_back(child, 0);
  }
}

void write_json_tree(analysis::usage const& u, analysis::call_tree_options const& of,
                     std::function<void(std::string_view)> const& write) {
  sorted_paths paths(u, of.unknown, of.value);
  std::vector<std::string> texts;
  for (analysis::name_table::id i = 0; i < paths.names().size(); ++i) {
    texts.push_back(json_string(paths.names().text(i)));
  }
  const totals_of_prefixes sums(paths);
  std::vector<analysis::name_table::id> names;
  std::vector<std::uint64_t> totals;
  node_writer out(write);
  out.open(root_name, sums.all());
  for (std::size_t i = 0; i < paths.all().size(); ++i) {
    names.clear();
    paths.for_each_name(paths.all()[i], [&](auto name) { names.push_back(name); });
    sums.totals(i, names.size(), totals);
    while (out.depth() > 1 + sums.common(i)) out.close();
    auto const* name = names.data() + sums.common(i);
    for (const std::uint64_t total : std::views::reverse(totals)) out.open(texts[*name++], total);
  }
  while (out.depth() > 0) out.close();
}

}  // namespace memprof::exports
