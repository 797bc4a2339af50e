// SPDX-License-Identifier: MIT
#include "tools/grouping_option.hpp"

#include <CLI/CLI.hpp>

namespace memprof::tools {

void add_grouping_option(CLI::App& app, std::string& value) {
  app.add_option("--by", value, "function, site (function and place), line, file, module or thread")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"function", "site", "line", "file", "module", "thread"}));
}

analysis::grouping grouping_of(std::string const& value) {
  using analysis::grouping;
  if (value == "site") return grouping::site;
  if (value == "line") return grouping::line;
  if (value == "thread") return grouping::thread;
  if (value == "file") return grouping::file;
  return value == "module" ? grouping::module : grouping::function;
}

}  // namespace memprof::tools
