// SPDX-License-Identifier: MIT
/// \file
/// What changed from one usage to another, as a call tree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/call_tree.hpp"
#include "analysis/difference.hpp"

namespace memprof::analysis {

/// before, after     bytes of the path and all below it, normalised as `difference` does.
/// width       the sum of the changes (of either sign) of the paths that end here or below, in
///             bytes: what the node is drawn as wide as, so that what cancels out is seen.
/// significant as difference_row: less than 5 % / the number of nodes that are shown.
/// children    indexes, widest first, of equal ones by name.
/// hidden_*    the children below `least`: how many, and what they come to.
struct difference_node {
  std::string name;
  bool inlined = false;
  double before = 0, after = 0, width = 0;
  bool significant = false;
  std::vector<std::uint32_t> children;
  std::uint64_t hidden_children = 0;
  double hidden_before = 0, hidden_after = 0;
};

/// from        as call_tree_options.
/// least       share of the root's width that a node must have; raised until `most` nodes are left.
struct difference_tree_options {
  difference_options how;
  call_tree_options tree;
  double least = 0.001;
  std::size_t most = 4000;
};

/// Parents before children; [0] is the root.
[[nodiscard]] std::vector<difference_node> compare_trees(
    usage_view const& before, usage_view const& after, difference_tree_options const& options = {});

}  // namespace memprof::analysis
