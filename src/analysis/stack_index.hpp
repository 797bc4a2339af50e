// SPDX-License-Identifier: MIT
/// \file
/// Backtraces as numbers: equal ones get the same, and what they share is kept once.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "memprof/trace/event.hpp"

namespace memprof::analysis {

/// A tree of all backtraces, its root the empty one.
///
/// memory      24 bytes and a little more for each different beginning of a backtrace, not for each
///             event.
class stack_index {
 public:
  using node = std::uint32_t;
  static constexpr node root = 0;

  stack_index() : nodes_{{root, 0}}, places_(64, root) {}

  /// The node of an allocation's backtrace. Events must come in the order of the trace, all of them:
  /// event::common_prefix saves looking at the frames that were there before.
  /// throws      std::length_error after 2^32 - 1 nodes.
  node find(trace::event const& e);

  /// The innermost frame of `n`, 0 for the root, and the backtrace around it.
  [[nodiscard]] trace::location_code code(node n) const { return nodes_[n].code; }
  [[nodiscard]] node parent(node n) const { return nodes_[n].parent; }
  /// The codes of `n`, outermost first.
  [[nodiscard]] std::vector<trace::location_code> backtrace(node n) const;
  /// Numbers are below this.
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

 private:
  struct entry {
    node parent;
    trace::location_code code;
  };
  node child(node parent, trace::location_code code);
  [[nodiscard]] std::size_t place(node parent, trace::location_code code) const;
  void grow();

  std::vector<entry> nodes_;
  std::vector<node> places_;  // open addressing; root: free
  std::unordered_map<std::uint16_t, std::vector<node>> paths_;  // of each domain's last backtrace
};

}  // namespace memprof::analysis
