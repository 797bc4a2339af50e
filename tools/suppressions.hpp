// SPDX-License-Identifier: MIT
/// \file
/// Which functions' memory a check does not judge, by a file.
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.hpp"

namespace memprof::tools {

/// A line of the file: a pattern and the reason.
struct suppression {
  analysis::name_pattern pattern;
  std::string reason;
};

/// Lines "PATTERN  # reason". A pattern is as for --function: text that a function's name contains,
/// =NAME, or /REGEX/. Empty lines and lines that begin with # say nothing.
///
/// \throws usage_error with file and line, for a line without a reason or with a regular expression
///   that is none.
/// \throws std::runtime_error if the file cannot be read.
[[nodiscard]] std::vector<suppression> read_suppressions(std::string const& file);

}  // namespace memprof::tools
