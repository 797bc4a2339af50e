// SPDX-License-Identifier: MIT
/// \file
/// A call tree with so few nodes that a page can draw it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/call_tree.hpp"

namespace memprof::analysis {

/// The nodes of a call tree that have a share of `least` or more, below one of them.
///
/// children    indexes into pruned_tree::nodes, largest first, of equal ones by name.
/// hidden      what the children below `least` come to, and how many they are.
struct pruned_node {
  call_tree::node_id id = 0;
  std::vector<std::uint32_t> children;
  std::uint64_t hidden_children = 0;
  amount hidden;
};

/// nodes       parents before children; [0] is the root. Empty if there is nothing there.
/// least       what it came to.
struct pruned_tree {
  std::vector<pruned_node> nodes;
  double least = 0;
};

/// root        of what is kept; its total is what shares are of.
/// least       in [0, 1]. Raised until there are at most `most` nodes.
/// cost        grows with the nodes of the tree.
[[nodiscard]] pruned_tree prune(call_tree const& tree, measure m, call_tree::node_id root,
                                double least, std::size_t most = 4000);

/// The node at the end of a path of names from the root; nothing if there is no such path.
[[nodiscard]] std::optional<call_tree::node_id> find_path(call_tree const& tree,
                                                          std::vector<std::string> const& names);

}  // namespace memprof::analysis
