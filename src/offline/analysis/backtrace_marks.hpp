// SPDX-License-Identifier: MIT
/// \file
/// Which backtraces a selection's patterns of functions and files let pass: what a backtrace shares
/// with the one before is not looked at again.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "memprof/trace/event.hpp"

#include "analysis/code_table.hpp"
#include "analysis/selection.hpp"
#include "analysis/stack_tree.hpp"

namespace memprof::analysis {

/// The patterns of a selection as marks of codes, and what it hides.
///
/// \throws std::invalid_argument for more than 64 patterns.
[[nodiscard]] naming naming_of(selection const& s, std::shared_ptr<symbolize::resolver> names,
                               bool hide_allocation_functions);

/// For codes that were named as naming_of says.
class backtrace_marks {
 public:
  explicit backtrace_marks(selection const& s);

  /// Whether an allocation's backtrace, of this node, passes. All allocations of a trace must come
  /// by, in order. Stacks and codes are always the same ones, and may have grown.
  [[nodiscard]] bool passes(trace::event const& e, stack_tree::node_id node,
                            stack_tree const& stacks, code_table const& codes);

 private:
  std::uint64_t must_have_, must_not_have_;
  /// Of a domain's last backtrace: the marks after so many of its entries.
  std::unordered_map<std::uint16_t, std::vector<std::uint64_t>> paths_;
};

}  // namespace memprof::analysis
