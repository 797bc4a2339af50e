// SPDX-License-Identifier: MIT
/// \file
/// What a row of a report stands for: --by function|site|line|file|module|thread.
#pragma once

#include <string>

#include "analysis/analysis.hpp"

namespace CLI {
class App;
}

namespace memprof::tools {

void add_grouping_option(CLI::App& app, std::string& value);
[[nodiscard]] analysis::grouping grouping_of(std::string const& value);

}  // namespace memprof::tools
