// SPDX-License-Identifier: MIT
#include "analysis/pruned_tree.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace memprof::analysis {
namespace {

using node_id = call_tree::node_id;

/// The samples that a node must have so that at most `most` have as many, `root` among them: as a
/// parent has no fewer than its child, those that are kept hang together.
std::uint64_t threshold(call_tree const& tree, measure m, std::vector<char> const& below,
                        double least, std::size_t most) {
  std::vector<std::uint64_t> large;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(least));
  for (node_id i = 0; i < below.size(); ++i) {
    const std::uint64_t n = amount_of(tree.nodes()[i].total, m).samples;
    if (below[i] != 0 && n > 0 && n >= wanted) large.push_back(n);
  }
  if (large.size() <= most) return std::max<std::uint64_t>(wanted, 1);
  const auto first_out = large.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(large.begin(), first_out, large.end(), std::greater<>());
  return *first_out + 1;
}

}  // namespace

pruned_tree prune(call_tree const& tree, measure m, node_id root, double least, std::size_t most) {
  auto const& nodes = tree.nodes();
  const auto samples = [&](node_id i) { return amount_of(nodes[i].total, m).samples; };
  std::vector<char> below(nodes.size());
  below[root] = 1;
  for (node_id i = root + 1; i < nodes.size(); ++i) below[i] = below[nodes[i].parent];
  const auto whole = static_cast<double>(samples(root));
  const std::uint64_t enough = threshold(tree, m, below, least * whole, most);
  pruned_tree result;
  const bool raised = enough > 1 && static_cast<double>(enough) > std::ceil(least * whole);
  result.least = raised ? static_cast<double>(enough) / whole : least;

  constexpr std::uint32_t left_out = ~std::uint32_t{0};
  std::vector<std::uint32_t> places(nodes.size(), left_out);
  for (node_id i = root; i < nodes.size(); ++i) {
    if (below[i] == 0 || (i != root && samples(i) == 0)) continue;
    const std::uint32_t parent = i == root ? left_out : places[nodes[i].parent];
    if (i != root && parent == left_out) continue;
    if (i != root && samples(i) < enough) {
      ++result.nodes[parent].hidden_children;
      result.nodes[parent].hidden += amount_of(nodes[i].total, m);
      continue;
    }
    places[i] = static_cast<std::uint32_t>(result.nodes.size());
    result.nodes.push_back({.id = i, .children = {}, .hidden_children = 0, .hidden = {}});
    if (i != root) result.nodes[parent].children.push_back(places[i]);
  }
  for (pruned_node& n : result.nodes) {
    std::sort(n.children.begin(), n.children.end(), [&](std::uint32_t a, std::uint32_t b) {
      const node_id x = result.nodes[a].id;
      const node_id y = result.nodes[b].id;
      return samples(x) != samples(y) ? samples(x) > samples(y) : tree.name(x) < tree.name(y);
    });
  }
  return result;
}

std::optional<node_id> find_path(call_tree const& tree, std::vector<std::string> const& names) {
  node_id here = 0;
  for (std::string const& name : names) {
    node_id next = 0;
    for (node_id i = here + 1; i < tree.nodes().size() && next == 0; ++i) {
      if (tree.nodes()[i].parent == here && tree.name(i) == name) next = i;
    }
    if (next == 0) return std::nullopt;
    here = next;
  }
  return here;
}

}  // namespace memprof::analysis
