// SPDX-License-Identifier: MIT
#include "analysis/stack_chains.hpp"

#include <algorithm>
#include <utility>

namespace memprof::analysis {

stack_chains::stack_chains(stack_tree const& tree, std::vector<stack_tree::node_id> nodes) {
  std::vector<stack_tree::node_id>& ends = nodes;
  ends.push_back(stack_tree::root);
  ends.push_back(static_cast<stack_tree::node_id>(tree.size() - 1));
  for (stack_tree::run const& r : tree.runs().subspan(1)) {
    ends.push_back(r.parent);
    ends.push_back(r.first - 1);
  }
  std::ranges::sort(ends);
  ends.erase(std::ranges::unique(ends).begin(), ends.end());

  chains_.resize(ends.size());
  for (id i = 0; i < ends.size(); ++i) chains_[i].last = ends[i];
  for (id i = 1; i < ends.size(); ++i) {
    chains_[i].first = ends[i - 1] + 1;
    chains_[i].parent = ending_at(tree.parent(chains_[i].first));
  }
  children_ = child_lists(size(), [&](id i) { return chains_[i].parent; });
}

stack_chains::id stack_chains::ending_at(stack_tree::node_id node) const {
  const auto at = std::ranges::lower_bound(chains_, node, {}, &chain::last);
  return static_cast<id>(at - chains_.begin());
}

}  // namespace memprof::analysis
