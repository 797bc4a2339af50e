// SPDX-License-Identifier: MIT
/// \file
/// Frames as other tools are given them, which print them on terminals and pages: printable, and a
/// name for every frame.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.hpp"
#include "text/text.hpp"

namespace memprof::exports {

struct frame {
  std::string function;
  std::string file;  ///< empty: not known
  std::uint32_t line = 0;
  std::uint32_t column = 0;  ///< 0: not known, or the first
};

/// The frames of a code, outermost first, at least one. A code without locations is named
/// by its number.
[[nodiscard]] std::vector<frame> frames_of(analysis::code_table::id code,
                                           analysis::code_table const& codes);
/// The name of a frame's function, without ';'.
[[nodiscard]] std::string function_text(frame const& f);
/// The functions of a code, outermost first, with ';' between them and none inside.
[[nodiscard]] std::string functions_text(analysis::code_table::id code,
                                         analysis::code_table const& codes);
/// The name of an empty backtrace.
[[nodiscard]] frame no_backtrace();

using text::json_string;

/// `text` as a field of a CSV file (RFC 4180), printable. Before what a spreadsheet would compute
/// (it begins with = + - or @) stands an apostrophe.
[[nodiscard]] std::string csv_field(std::string_view text);

}  // namespace memprof::exports
