// SPDX-License-Identifier: MIT
#include "analysis/position_text.hpp"

#include <fmt/format.h>

namespace memprof::analysis {

std::string position_text(std::string_view file, frame const& f) {
  if (has_columns(f.start_char, f.end_char)) {
    return fmt::format("{}:{}:{}-{}", file, f.line, f.start_char, f.end_char);
  }
  return f.line == 0 ? std::string{file} : fmt::format("{}:{}", file, f.line);
}

}  // namespace memprof::analysis
