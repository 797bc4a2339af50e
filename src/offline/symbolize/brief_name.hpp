// SPDX-License-Identifier: MIT
/// \file
/// Names of functions in the room that a report has for them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memprof::symbolize {

/// The shortest room that brief_name is made for.
inline constexpr std::size_t shortest_brief_name = 8;

/// What stands for the text that is left out: one column wide each, or three.
struct elision {
  std::string_view arguments;  ///< between and with the angle brackets
  std::string_view text;       ///< for anything else
  std::size_t arguments_width;
  std::size_t text_width;
};
inline constexpr elision utf8_elision{"‹…›", "…", 3, 1};
inline constexpr elision ascii_elision{"<...>", "...", 5, 3};

/// The name in at most `width` columns (UTF-8 characters). A name that fits stays as it is. Others
/// lose, until they fit: the build id of code without a symbol; template arguments, the longest
/// first; arguments of lambdas; the folders of a path at their end; the middle.
///
///     boost::visitor<a, b<c>>::grow       boost::visitor‹…›::grow       boost…r‹…›::grow
///
/// \param width at least shortest_brief_name.
std::string brief_name(std::string_view name, std::size_t width, elision const& sign);

}  // namespace memprof::symbolize
