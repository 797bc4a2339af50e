// SPDX-License-Identifier: MIT
#include "analysis/stack_tree.hpp"

#include <stdexcept>

namespace memprof::analysis {

stack_tree::node_id stack_tree::make(node_id parent, code_table::id code) {
  if (nodes_.size() >= most_nodes) {
    throw std::length_error("the trace has more than 134 million different stack frames");
  }
  nodes_.push_back({parent, code});
  return static_cast<node_id>(nodes_.size() - 1);
}

tree_order::tree_order(stack_tree const& tree)
    : first_(tree.size() + 1), children_(tree.size() - 1) {
  // Counting sort by parent.
  for (std::uint32_t i = 1; i < tree.size(); ++i) ++first_[tree[i].parent + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t i = 1; i < tree.size(); ++i) children_[next[tree[i].parent]++] = i;
}

}  // namespace memprof::analysis
