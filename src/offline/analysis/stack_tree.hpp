// SPDX-License-Identifier: MIT
/// \file
/// The backtraces of a trace as a tree of codes: each event costs as much as its backtrace differs
/// from the one before.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "memprof/trace/reader.hpp"

#include "analysis/code_table.hpp"
#include "analysis/flat_index.hpp"

namespace memprof::analysis {

/// Nodes are numbered so that a parent comes before its children; 0 is the root, the empty
/// backtrace. Memory grows with distinct stacks: some 40 bytes for each node.
class stack_tree {
 public:
  using node_id = std::uint32_t;
  static constexpr node_id root = 0;
  /// A trace with more different stacks than memory can be expected to hold is refused.
  static constexpr std::size_t most_nodes = 1U << 27;

  /// The node of an allocation's backtrace. All allocations of a trace must come by, in order.
  ///
  /// throws      trace::format_error; std::length_error beyond most_nodes.
  node_id add(trace::event const& e, code_table& codes, trace::reader const& reader) {
    std::vector<node_id>& path = path_of(e.domain);
    const std::size_t length = e.backtrace.size();
    std::size_t known = path.size() - 1;
    if (e.common_prefix < known) known = e.common_prefix;
    if (length < known) known = length;
    path.resize(length + 1);
    node_id at = path[known];
    for (std::size_t i = known; i < length; ++i) {
      const trace::location_code code = e.backtrace[i];
      std::uint32_t& place = index_.find(code, at);
      if (place == flat_index::none) place = make(at, codes.find(code, reader));
      path[i + 1] = at = place;
    }
    return at;
  }

  struct node {
    node_id parent = 0;
    code_table::id code = 0;  // of no meaning in the root
  };
  [[nodiscard]] node const& operator[](node_id i) const { return nodes_[i]; }
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

 private:
  std::vector<node_id>& path_of(std::uint16_t domain) {
    if (last_path_ == nullptr || domain != last_domain_) {
      last_path_ = &paths_.try_emplace(domain, 1, root).first->second;
      last_domain_ = domain;
    }
    return *last_path_;
  }
  node_id make(node_id parent, code_table::id code);

  std::vector<node> nodes_{node{}};
  flat_index index_;
  std::unordered_map<std::uint16_t, std::vector<node_id>> paths_;  // node after so many entries
  std::vector<node_id>* last_path_ = nullptr;
  std::uint16_t last_domain_ = 0;
};

/// The children of each node, and walks over them without recursion: stacks may be 70000 deep.
class tree_order {
 public:
  explicit tree_order(stack_tree const& tree);
  [[nodiscard]] std::span<stack_tree::node_id const> children(stack_tree::node_id i) const {
    return std::span(children_).subspan(first_[i], first_[i + 1] - first_[i]);
  }

  /// enter(node) before its children, leave(node) after them; not for the root.
  template <class Enter, class Leave>
  void walk(Enter&& enter, Leave&& leave) const {
    struct place {
      stack_tree::node_id node;
      std::uint32_t next;
    };
    std::vector<place> path{{stack_tree::root, 0}};
    while (!path.empty()) {
      const auto below = children(path.back().node);
      if (path.back().next == below.size()) {
        if (path.back().node != stack_tree::root) leave(path.back().node);
        path.pop_back();
        continue;
      }
      const stack_tree::node_id child = below[path.back().next++];
      enter(child);
      path.push_back({child, 0});
    }
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<stack_tree::node_id> children_;
};

}  // namespace memprof::analysis
