// SPDX-License-Identifier: MIT
/// \file
/// Stacks in the order of the names on them, and these names, without the text of any stack: what
/// folded stacks are written from.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "analysis/code_table.hpp"
#include "analysis/stack_tree.hpp"

namespace memprof::analysis {

/// What stacks are called.
///
///  - `of_code`: the names of each code, outermost first; may be none.
///  - `of_root`: those of the empty stack.
struct stack_names {
  name_table texts;
  std::vector<std::vector<name_table::id>> of_code;
  std::vector<name_table::id> of_root;
};

/// \note Memory: nothing for a call: a stack is read from the tree.
class stack_order {
 public:
  ///  - `by_name`: name by name, so that a caller comes before all that it calls, and these come
  ///    without others between them: depth first.
  ///  - `by_line`: the bytes of "f1;f2;f3".
  enum class rule { by_name, by_line };

  /// Refers to both.
  stack_order(stack_tree const& stacks, stack_names const& names, rule how)
      : stacks_(stacks), names_(names), how_(how) {}

  /// Below 0, 0 or above 0. Cost: what the stacks have in common is skipped, but for a step for
  /// each of their runs.
  [[nodiscard]] int compare(stack_tree::node_id a, stack_tree::node_id b);

  /// f(id) for each name of a stack, outermost first.
  template <class F>
  void for_each_name(stack_tree::node_id stack, F&& f) {
    cursor c = begin(stack, first_);
    while (c.find()) f(c.take());
  }

 private:
  /// Calls that have numbers one after another, outermost first.
  struct part {
    stack_tree::node_id first;
    stack_tree::node_id last;
  };
  /// A name of a stack.
  struct cursor {
    stack_order const* of;
    std::span<part const> parts;  // from the present one on
    stack_tree::node_id node;
    std::span<name_table::id const> left;  // of the call before `node`

    /// False: there are no more.
    bool find();
    name_table::id take() {
      const name_table::id name = left.front();
      left = left.subspan(1);
      return name;
    }
  };

  void list_parts(stack_tree::node_id stack, std::vector<part>& to) const;
  cursor begin(stack_tree::node_id stack, std::vector<part>& parts);
  [[nodiscard]] int compare_texts(name_table::id a, bool a_is_last, name_table::id b,
                                  bool b_is_last) const;

  stack_tree const& stacks_;
  stack_names const& names_;
  rule how_;
  std::vector<part> first_, second_;
};

}  // namespace memprof::analysis
