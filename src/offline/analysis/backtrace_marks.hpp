// SPDX-License-Identifier: MIT
/// \file
/// Which backtraces a selection's patterns of functions and files let pass: each node of the tree
/// of stacks is looked at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/code_table.hpp"
#include "analysis/selection.hpp"
#include "analysis/stack_tree.hpp"

namespace memprof::analysis {

/// The patterns of a selection as marks of codes, and what it hides.
///
/// throws      std::invalid_argument for more than 64 patterns.
[[nodiscard]] naming naming_of(selection const& s, std::shared_ptr<symbolize::resolver> names,
                               bool hide_allocation_functions);

/// For codes that were named as naming_of says.
class backtrace_marks {
 public:
  explicit backtrace_marks(selection const& s);

  /// Stacks and codes are always the same ones, and may have grown.
  [[nodiscard]] bool passes(stack_tree::node_id node, stack_tree const& stacks,
                            code_table const& codes) {
    for (auto i = static_cast<stack_tree::node_id>(marks_.size()); i < stacks.size(); ++i) {
      marks_.push_back(marks_[stacks[i].parent] | codes.marks(stacks[i].code));
    }
    return (marks_[node] & must_have_) == must_have_ && (marks_[node] & must_not_have_) == 0;
  }

 private:
  std::uint64_t must_have_, must_not_have_;
  std::vector<std::uint64_t> marks_{0};  // of each node: those of its parent and of its code
};

}  // namespace memprof::analysis
