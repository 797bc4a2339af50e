// SPDX-License-Identifier: MIT
/// \file
/// Functions and what they call (or who calls them), with what was allocated under each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/child_lists.hpp"
#include "analysis/usage.hpp"

namespace memprof::analysis {

///  - `fold_recursion`: a function counts at its first occurrence in a stack only.
///  - `from_allocator`: the tree begins with the functions that allocate, and their callers are
///    below.
///  - `depth`: levels below the root; 0: all. What is deeper counts for the totals alone.
///  - `unknown`: codes without a name appear as "0x<code>"; else they are left out.
///  - `value`: which samples are added up.
struct call_tree_options {
  bool fold_recursion = true;
  bool from_allocator = false;
  std::size_t depth = 0;
  bool unknown = true;
  measure value = measure::allocated;
};

/// Nodes are numbered so that a parent comes before its children; 0 is the root, which stands for
/// all.
class call_tree {
 public:
  using node_id = std::uint32_t;
  struct node {
    node_id parent = 0;
    name_table::id function = 0;
    std::uint64_t own = 0;    // samples, of the path that ends here
    std::uint64_t total = 0;  // and of all that goes on from here
  };

  /// \note Cost: grows with the nodes of u.stacks; from_allocator: with distinct stacks times
  ///   depth.
  /// \note Memory: some 70 bytes for each node: with folded recursion, of a stack no more than it
  ///   has different functions.
  explicit call_tree(usage const& u, call_tree_options const& options = {});

  [[nodiscard]] std::vector<node> const& nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::string const& name(node_id i) const { return names_.text(nodes_[i].function); }
  /// The children of each node, in the order of their names' bytes.
  [[nodiscard]] child_lists children_by_name() const;

 private:
  class builder;
  std::vector<node> nodes_{node{}};
  name_table names_;
};

}  // namespace memprof::analysis
