// SPDX-License-Identifier: MIT
/// \file
/// Where the brackets of a demangled name are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace memprof::symbolize {

/// An opening bracket and its other half.
///
///  - `open`, `close`: positions in the name.
///  - `around`: the index of the pair that this one is directly in, or no_bracket.
///  - `depth`: how many pairs are around it.
///  - `kind`: < ( { or [
struct bracket_pair {
  std::size_t open = 0;
  std::size_t close = 0;
  std::size_t around = 0;
  std::size_t depth = 0;
  char kind = '\0';
};
inline constexpr std::size_t no_bracket = ~std::size_t{0};

/// All pairs in the order of `open`. Comparisons, arrows and names of operators ("operator<",
/// "operator()") are no brackets; a bracket without another half is left out.
std::vector<bracket_pair> brackets_of(std::string_view name);

}  // namespace memprof::symbolize
