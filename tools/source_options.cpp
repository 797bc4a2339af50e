// SPDX-License-Identifier: MIT
#include "tools/source_options.hpp"

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace memprof::tools {

void add_source_options(CLI::App& app, page_server::source_options& o) {
  app.add_option_function<std::vector<std::string>>(
         "--substitute-path",
         [&o](std::vector<std::string> const& all) {
           for (std::string const& text : all) {
             o.substitutions.push_back(page_server::parse_substitution(text));
           }
         },
         "Where sources are: paths of debug information that begin with FROM are read at TO")
      ->type_name("FROM=TO")
      ->allow_extra_args(false)
      ->check([](std::string const& text) -> std::string {
        try {
          static_cast<void>(page_server::parse_substitution(text));
          return {};
        } catch (std::invalid_argument const& e) {
          return e.what();
        }
      });
}

}  // namespace memprof::tools
