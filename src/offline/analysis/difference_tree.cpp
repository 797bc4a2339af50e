// SPDX-License-Identifier: MIT
#include "analysis/difference_tree.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/flat_index.hpp"
#include "analysis/sample_error.hpp"

namespace memprof::analysis {
namespace {

/// Both trees, one upon the other.
struct merged_node {
  std::uint32_t parent = 0;
  name_table::id name = 0;
  std::uint64_t own[2]{}, total[2]{};
  double width = 0;
  bool inlined = true;
};

class merged_tree {
 public:
  void add(call_tree const& tree, measure m, std::size_t side) {
    std::vector<std::uint32_t> at(tree.nodes().size());
    for (call_tree::node_id i = 0; i < at.size(); ++i) {
      call_tree::node const& n = tree.nodes()[i];
      if (i > 0) {
        const name_table::id name = names_.intern(tree.name(i));
        std::uint32_t& place = index_.find(at[n.parent], name);
        if (place == flat_index::none) {
          place = static_cast<std::uint32_t>(nodes_.size());
          nodes_.push_back({.parent = at[n.parent], .name = name});
        }
        at[i] = place;
        nodes_[place].inlined = nodes_[place].inlined && n.inlined;
      }
      nodes_[at[i]].own[side] += amount_of(n.own, m).samples;
    }
  }

  void finish(double scale_before, double scale_after) {
    for (merged_node& n : nodes_) {
      n.total[0] = n.own[0];
      n.total[1] = n.own[1];
      n.width = std::fabs(static_cast<double>(n.own[1]) * scale_after -
                          static_cast<double>(n.own[0]) * scale_before);
    }
    for (std::size_t i = nodes_.size() - 1; i > 0; --i) {
      merged_node& parent = nodes_[nodes_[i].parent];
      parent.total[0] += nodes_[i].total[0];
      parent.total[1] += nodes_[i].total[1];
      parent.width += nodes_[i].width;
    }
  }

  [[nodiscard]] std::vector<merged_node> const& nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::string const& name(name_table::id i) const { return names_.text(i); }

 private:
  std::vector<merged_node> nodes_{merged_node{}};
  flat_index index_;
  name_table names_;
};

/// The width that at most `most` nodes have.
double threshold(std::vector<merged_node> const& nodes, double least, std::size_t most) {
  std::vector<double> wide;
  for (merged_node const& n : nodes) {
    if (n.width > 0 && n.width >= least) wide.push_back(n.width);
  }
  if (wide.size() <= most) return least;
  const auto first_out = wide.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(wide.begin(), first_out, wide.end(), std::greater<>());
  return std::nextafter(*first_out, HUGE_VAL);
}

}  // namespace

std::vector<difference_node> compare_trees(usage_view const& before, usage_view const& after,
                                           difference_tree_options const& o) {
  const auto [scale_before, scale_after] = scales_of(before, after, o.how);
  merged_tree tree;
  tree.add(call_tree(before, o.tree), o.how.value, 0);
  tree.add(call_tree(after, o.tree), o.how.value, 1);
  tree.finish(scale_before, scale_after);
  auto const& nodes = tree.nodes();
  const double enough = threshold(nodes, o.least * nodes[0].width, o.most);

  constexpr std::uint32_t left_out = ~std::uint32_t{0};
  std::vector<std::uint32_t> places(nodes.size(), left_out);
  std::vector<difference_node> result;
  std::vector<std::uint32_t> from;  // of each that is kept
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    merged_node const& n = nodes[i];
    const std::uint32_t parent = i == 0 ? left_out : places[n.parent];
    if (i > 0 && (parent == left_out || n.total[0] + n.total[1] == 0)) continue;
    const double b = static_cast<double>(n.total[0]) * scale_before;
    const double a = static_cast<double>(n.total[1]) * scale_after;
    if (i > 0 && (n.width < enough || n.width <= 0)) {
      ++result[parent].hidden_children;
      result[parent].hidden_before += b;
      result[parent].hidden_after += a;
      continue;
    }
    places[i] = static_cast<std::uint32_t>(result.size());
    if (i > 0) result[parent].children.push_back(places[i]);
    result.push_back({.name = i == 0 ? "(all)" : tree.name(n.name),
                      .inlined = i > 0 && n.inlined,
                      .before = b,
                      .after = a,
                      .width = n.width,
                      .children = {}});
    from.push_back(i);
  }
  for (std::size_t k = 0; k < result.size(); ++k) {
    difference_node& r = result[k];
    std::sort(r.children.begin(), r.children.end(), [&](std::uint32_t x, std::uint32_t y) {
      return result[x].width != result[y].width ? result[x].width > result[y].width
                                                : result[x].name < result[y].name;
    });
    merged_node const& n = nodes[from[k]];
    r.significant = chance_of(before, after, scale_before, scale_after, n.total[0], n.total[1]) <
                    0.05 / static_cast<double>(result.size());
  }
  return result;
}

}  // namespace memprof::analysis
