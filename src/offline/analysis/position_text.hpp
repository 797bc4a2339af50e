// SPDX-License-Identifier: MIT
/// \file
/// Where in a source file a frame is, as text.
#pragma once

#include <string>
#include <string_view>

#include "analysis/code_table.hpp"

namespace memprof::analysis {

/// Whether the columns are known. The format has 255 and 1023 for those that are not.
inline bool has_columns(std::uint32_t start_char, std::uint32_t end_char) noexcept {
  return end_char != 0 && !(start_char == 255 && end_char == 1023);
}

/// "file.ml:12:3-17"; without what is not known: "file.cpp:12", "/usr/lib/libc.so.6".
[[nodiscard]] std::string position_text(std::string_view file, frame const& f);

}  // namespace memprof::analysis
