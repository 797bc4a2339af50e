// SPDX-License-Identifier: MIT
/// \file
/// Which amount a report is about: --weight allocated|in-use|peak.
#pragma once

#include <string>

#include "analysis/analysis.hpp"

namespace CLI {
class App;
}

namespace memprof::tools {

void add_measure_option(CLI::App& app, char const* name, std::string& value);
[[nodiscard]] analysis::measure measure_of(std::string const& value);

}  // namespace memprof::tools
