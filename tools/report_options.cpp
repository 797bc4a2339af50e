// SPDX-License-Identifier: MIT
#include "tools/report_options.hpp"

#include <CLI/CLI.hpp>
#include <string>

namespace memprof::tools {

void add_report_options(CLI::App& app, report_options& options) {
  app.add_flag("--json", options.json, "Exact numbers, as JSON");
  options.chosen.add(app);
  add_symbol_options(app, options.reading);
  add_name_option(app, options.naming);
  add_colour_option(app, options.colour);
  add_reading_options(app, options.reading);
}

void add_all_frames_option(CLI::App& app, bool& option, char const* what) {
  app.add_flag("--all-frames", option,
               std::string("Also operator new, malloc and the C++ standard library's, ") + what);
}

}  // namespace memprof::tools
