// SPDX-License-Identifier: MIT
#include "analysis/function_table.hpp"

#include "analysis/group_map.hpp"

namespace memprof::analysis {

std::vector<function_row> function_table(usage const& u, grouping by) {
  return function_table(u, group_map(u.codes, u.stacks, by));
}

std::vector<function_row> function_table(usage const& u, group_map const& groups) {
  std::vector<function_row> rows(groups.names().size());
  for (name_table::id i = 0; i < rows.size(); ++i) rows[i].name = groups.names().text(i);

  std::vector<amounts> below(u.stacks.size());  // of a node and all below it
  for (usage_row const& r : u.rows) below[r.stack] = r.sums;
  for (std::size_t i = below.size() - 1; i > 0; --i) {
    below[u.stacks[static_cast<stack_tree::node_id>(i)].parent] += below[i];
  }
  for (stack_tree::node_id i = 1; i < u.stacks.size(); ++i) {
    if (u.own(i).allocated.blocks == 0) continue;
    if (const auto g = groups.allocating(i); g != group_map::none) rows[g].self += u.own(i);
  }
  std::vector<std::uint32_t> active(rows.size());
  const tree_order order(u.stacks);
  order.walk(
      [&](stack_tree::node_id i) {
        for (const name_table::id g : groups.of(u.stacks[i].code)) {
          if (active[g]++ == 0) rows[g].total += below[i];
        }
      },
      [&](stack_tree::node_id i) {
        for (const name_table::id g : groups.of(u.stacks[i].code)) --active[g];
      });
  return rows;
}

}  // namespace memprof::analysis
