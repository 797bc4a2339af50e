// SPDX-License-Identifier: MIT
#include "analysis/function_table.hpp"

#include "analysis/group_map.hpp"
#include "analysis/stack_chains.hpp"

namespace memprof::analysis {

std::vector<function_row> function_table(usage const& u, grouping by) {
  return function_table(u, group_map(u.codes, u.stacks, by));
}

std::vector<function_row> function_table(usage const& u, group_map const& groups) {
  std::vector<function_row> rows(groups.names().size());
  for (name_table::id i = 0; i < rows.size(); ++i) rows[i].name = groups.names().text(i);

  const stack_chains chains(u.stacks, u.stacks_of_rows());
  std::vector<amounts> below(chains.size());  // of a chain's last node and all below it
  for (stack_chains::id i = 0; i < chains.size(); ++i) below[i] = u.own(chains[i].last);
  for (stack_chains::id i = 1; i < chains.size(); ++i) {
    amounts const& own = below[i];
    if (own.allocated.blocks == 0) continue;
    if (const auto g = groups.allocating(chains[i].last); g != group_map::none) rows[g].self += own;
  }
  for (auto i = static_cast<stack_chains::id>(below.size() - 1); i > 0; --i) {
    below[chains[i].parent] += below[i];
  }
  std::vector<std::uint32_t> active(rows.size());
  chains.walk(
      [&](stack_chains::id i) {
        for (auto n = chains[i].first; n <= chains[i].last; ++n) {
          for (const name_table::id g : groups.of(u.stacks.code(n))) {
            if (active[g]++ == 0) rows[g].total += below[i];
          }
        }
      },
      [&](stack_chains::id i) {
        for (auto n = chains[i].first; n <= chains[i].last; ++n) {
          for (const name_table::id g : groups.of(u.stacks.code(n))) --active[g];
        }
      });
  return rows;
}

}  // namespace memprof::analysis
