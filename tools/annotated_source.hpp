// SPDX-License-Identifier: MIT
/// \file
/// The source of a function, each line with what it allocated.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/analysis.hpp"
#include "page_server/page_server.hpp"
#include "tools/text_report.hpp"

namespace memprof::tools {

///  - `context`: lines shown before and after one that allocated.
struct annotated_source_style {
  std::uint32_t context = 3;
  tools::page page;
  colours colour;
};

/// The function, its sums, and a table of its lines; without source, of their numbers, and why.
[[nodiscard]] std::string annotated_source(analysis::usage const& u,
                                           analysis::annotated_function const& f,
                                           analysis::sample_errors& errors,
                                           page_server::source_files const& sources,
                                           annotated_source_style const& style);

}  // namespace memprof::tools
