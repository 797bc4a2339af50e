// SPDX-License-Identifier: MIT
#include "analysis/stack_order.hpp"

#include <algorithm>
#include <string>

namespace memprof::analysis {

void stack_order::list_parts(stack_tree::node_id stack, std::vector<part>& to) const {
  to.clear();
  const std::span<stack_tree::run const> runs = stacks_.runs();
  while (stack != stack_tree::root) {
    auto const& run = *(std::ranges::upper_bound(runs, stack, {}, &stack_tree::run::first) - 1);
    to.push_back({std::max<stack_tree::node_id>(run.first, 1), stack});
    stack = run.parent;
  }
  std::ranges::reverse(to);
}

stack_order::cursor stack_order::begin(stack_tree::node_id stack, std::vector<part>& parts) {
  list_parts(stack, parts);
  cursor c{.of = this, .parts = parts, .node = 0, .left = {}};
  if (parts.empty()) {
    c.left = names_.of_root;
  } else {
    c.node = parts.front().first;
  }
  return c;
}

bool stack_order::cursor::find() {
  while (left.empty() && !parts.empty()) {
    left = of->names_.of_code[of->stacks_.code(node)];
    if (node == parts.front().last) {
      parts = parts.subspan(1);
      if (!parts.empty()) node = parts.front().first;
    } else {
      ++node;
    }
  }
  return !left.empty();
}

int stack_order::compare_texts(name_table::id a, bool a_is_last, name_table::id b,
                               bool b_is_last) const {
  std::string const& x = names_.texts.text(a);
  std::string const& y = names_.texts.text(b);
  if (how_ == rule::by_name) return x.compare(y);
  return (a_is_last ? x : x + ';').compare(b_is_last ? y : y + ';');
}

int stack_order::compare(stack_tree::node_id a, stack_tree::node_id b) {
  if (a == b) return 0;
  cursor x = begin(a, first_);
  cursor y = begin(b, second_);
  // Calls of both: the same nodes.
  while (!x.parts.empty() && !y.parts.empty() && x.node == y.node) {
    const auto common = std::min(x.parts.front().last, y.parts.front().last);
    for (cursor* const c : {&x, &y}) {
      if (c->parts.front().last > common) {
        c->node = common + 1;
      } else {
        c->parts = c->parts.subspan(1);
        if (!c->parts.empty()) c->node = c->parts.front().first;
      }
    }
  }
  while (true) {
    const bool more_of_x = x.find();
    const bool more_of_y = y.find();
    if (!more_of_x || !more_of_y) return static_cast<int>(more_of_x) - static_cast<int>(more_of_y);
    const name_table::id p = x.take();
    const name_table::id q = y.take();
    if (p != q) return compare_texts(p, !x.find(), q, !y.find());
  }
}

}  // namespace memprof::analysis
