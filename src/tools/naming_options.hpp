// SPDX-License-Identifier: MIT
/// \file
/// How functions are named, from the options --no-symbols and --debug-directory.
#pragma once

#include "analysis/analysis.hpp"
#include "tools/trace_input.hpp"

namespace memprof::tools {

[[nodiscard]] inline analysis::naming naming_of(reading_options const& o) {
  analysis::naming how;
  if (o.no_symbols) return how;
  symbolize::resolver_options names;
  for (auto const& directory : o.debug_directories) names.debug_directories.emplace_back(directory);
  how.names = std::make_shared<symbolize::resolver>(std::move(names));
  return how;
}

}  // namespace memprof::tools
