// SPDX-License-Identifier: MIT
/// \file
/// What each line of a function allocates: by itself and through what it calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/name_pattern.hpp"
#include "analysis/usage.hpp"

namespace memprof::analysis {

///  - `line`: 0: not known.
///  - `sums`: allocated there or under a call there, each block once.
struct annotated_line {
  std::uint32_t line = 0;
  amounts sums;
};

/// A function in one source file. Code of another file in it (a macro, say) is a function of that
/// file.
///
///  - `file`: empty: not known.
///  - `lines`: those that allocated something, in order.
struct annotated_function {
  std::string name;
  std::string file;
  amounts sums;
  std::vector<annotated_line> lines;
};

/// The functions whose names match, those that allocated most first.
///
/// \note Cost: grows with the nodes of u.stacks.
[[nodiscard]] std::vector<annotated_function> annotate(usage const& u,
                                                       name_pattern const& function);

}  // namespace memprof::analysis
