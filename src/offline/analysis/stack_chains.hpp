// SPDX-License-Identifier: MIT
/// \file
/// Chains of a stack_tree's nodes, so that analyses need memory for the stacks that allocated, not
/// for each of their calls.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/child_lists.hpp"
#include "analysis/stack_tree.hpp"

namespace memprof::analysis {

/// Cuts a tree after the nodes of interest, and where it branches. A chain is what remains: nodes
/// with numbers from `first` to `last`, each the parent of the next, of which only the last may be
/// of interest or have several children.
class stack_chains {
 public:
  using id = std::uint32_t;
  struct chain {
    stack_tree::node_id first = stack_tree::root;
    stack_tree::node_id last = stack_tree::root;
    id parent = 0;
  };

  /// \param nodes those of interest, in any order; may be there twice.
  stack_chains(stack_tree const& tree, std::vector<stack_tree::node_id> nodes);

  /// In the order of their nodes, so that a parent comes before its children. The first is the root
  /// alone.
  [[nodiscard]] chain const& operator[](id i) const { return chains_[i]; }
  [[nodiscard]] std::size_t size() const noexcept { return chains_.size(); }
  /// The chain that a node of interest ends.
  [[nodiscard]] id ending_at(stack_tree::node_id node) const;

  /// enter(chain) before its children, leave(chain) after them; not for the root. Children in the
  /// order of their numbers; without recursion, for stacks may be 70000 deep.
  template <class Enter, class Leave>
  void walk(Enter&& enter, Leave&& leave) const {
    struct place {
      id chain;
      std::uint32_t next;
    };
    std::vector<place> path{{0, 0}};
    while (!path.empty()) {
      const auto below = children_.of(path.back().chain);
      if (path.back().next == below.size()) {
        if (path.back().chain != 0) leave(path.back().chain);
        path.pop_back();
        continue;
      }
      const id child = below[path.back().next++];
      enter(child);
      path.push_back({child, 0});
    }
  }

 private:
  std::vector<chain> chains_;
  child_lists children_;
};

}  // namespace memprof::analysis
