// SPDX-License-Identifier: MIT
#include "tools/measure_option.hpp"

#include <CLI/CLI.hpp>

namespace memprof::tools {

void add_measure_option(CLI::App& app, char const* name, std::string& value) {
  app.add_option(name, value, "allocated; in-use: at the end; peak: in use at the peak")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"allocated", "in-use", "peak"}));
}

analysis::measure measure_of(std::string const& value) {
  if (value == "in-use") return analysis::measure::in_use;
  return value == "peak" ? analysis::measure::peak : analysis::measure::allocated;
}

}  // namespace memprof::tools
