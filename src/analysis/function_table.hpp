// SPDX-License-Identifier: MIT
/// \file
/// What functions (or positions, files, modules) allocate, by themselves and with all that they
/// call.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/usage.hpp"

namespace memprof::analysis {

/// function    by name, over all files.
/// site        name and position: for totals, of the calls.
/// module      what stands before the last '.' (OCaml) or '::' (C++) of the name: a module, class
/// or
///             namespace; the file's base name if there is none.
enum class grouping { function, site, file, module };

/// self        allocated by it; total: by it or under it, each block once.
struct function_row {
  std::string name;
  amounts self;
  amounts total;
};

/// One row for each, in no order. Code of which nothing is known: "0x<code>". What has no backtrace
/// is in no row.
///
/// cost        grows with the nodes of u.stacks.
std::vector<function_row> function_table(usage const& u, grouping by);

/// The module of a function, as `grouping::module` means it.
[[nodiscard]] std::string_view module_of(std::string_view function, std::string_view file);

}  // namespace memprof::analysis
