// SPDX-License-Identifier: MIT
/// \file
/// The backtraces of a trace as a tree of codes: each event costs as much as its backtrace differs
/// from the one before.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/code_table.hpp"
#include "analysis/flat_index.hpp"
#include "analysis/narrow_list.hpp"
#include "trace/trace.hpp"

namespace memprof::analysis {

/// Nodes are numbered so that a parent comes before its children; 0 is the root, the empty
/// backtrace. The nodes that a backtrace adds get numbers one after another, a *run*: the parent of
/// each but the first is the node before it, and need not be stored.
///
/// \note Memory: for each node 2 bytes (4 beyond 65536 different codes), for each run some 60.
class stack_tree {
 public:
  using node_id = std::uint32_t;
  static constexpr node_id root = 0;
  /// A trace with more different stacks than memory can be expected to hold is refused.
  static constexpr std::size_t most_nodes = 1U << 27;

  stack_tree();

  /// The node of an allocation's backtrace. All allocations of a trace must come by, in order.
  ///
  /// \throws trace::format_error as legend::locations.
  /// \throws std::length_error beyond most_nodes.
  node_id add(trace::event const& e, code_table& codes, trace::legend legend);

  [[nodiscard]] node_id parent(node_id i) const {
    return begins_run(i) ? runs_[run_of(i)].parent : i - 1;
  }
  /// Of no meaning in the root.
  [[nodiscard]] code_table::id code(node_id i) const { return codes_[i]; }
  /// Nodes from the root, which has 0.
  [[nodiscard]] std::uint32_t depth(node_id i) const {
    run const& r = runs_[run_of(i)];
    return r.depth + (i - r.first);
  }
  [[nodiscard]] std::size_t size() const noexcept { return codes_.size(); }

  ///  - `depth`: of `first`.
  struct run {
    node_id parent = root;
    node_id first = root;
    std::uint32_t depth = 0;
  };
  /// In the order of their nodes. The first begins with the root.
  [[nodiscard]] std::span<run const> runs() const noexcept { return runs_; }

 private:
  [[nodiscard]] bool begins_run(node_id i) const { return (starts_[i / 64] >> i % 64 & 1) != 0; }
  /// The index of a node's run.
  [[nodiscard]] std::size_t run_of(node_id i) const {
    const std::uint64_t up_to_it = starts_[i / 64] << (63 - i % 64);
    return runs_before_[i / 64] + static_cast<std::size_t>(std::popcount(up_to_it)) - 1;
  }
  std::vector<node_id>& path_of(std::uint16_t domain) {
    if (last_path_ == nullptr || domain != last_domain_) {
      last_path_ = &paths_.try_emplace(domain, 1, root).first->second;
      last_domain_ = domain;
    }
    return *last_path_;
  }
  /// A child that is not there yet.
  node_id make(node_id parent, trace::location_code code, code_table::id id);

  narrow_list codes_;
  std::vector<run> runs_;
  std::vector<std::uint64_t> starts_;       // a bit for each node: a run begins with it
  std::vector<std::uint32_t> runs_before_;  // that begin before each word of starts_
  flat_index index_;                        // of the first node of each run
  std::unordered_map<std::uint16_t, std::vector<node_id>> paths_;  // node after so many entries
  std::vector<node_id>* last_path_ = nullptr;
  std::uint16_t last_domain_ = 0;
};

}  // namespace memprof::analysis
