// SPDX-License-Identifier: MIT
/// \file
/// What functions (or positions, files, modules) allocate, by themselves and with all that they
/// call.
#pragma once

#include <string>
#include <vector>

#include "analysis/group_map.hpp"
#include "analysis/usage.hpp"

namespace memprof::analysis {

///  - `self`: allocated by it; total: by it or under it, each block once.
struct function_row {
  std::string name;
  amounts self;
  amounts total;
};

/// One row for each, in no order. Code of which nothing is known: "0x<code>". What has no backtrace
/// is in no row.
///
/// \note Cost: grows with the nodes of u.stacks.
std::vector<function_row> function_table(usage const& u, grouping by);
/// Row i is that of group i.
std::vector<function_row> function_table(usage const& u, group_map const& groups);

}  // namespace memprof::analysis
