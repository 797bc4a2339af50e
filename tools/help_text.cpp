// SPDX-License-Identifier: MIT
#include "tools/help_text.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "memprof/version.hpp"

namespace memprof::tools {
namespace {

class examples_first : public CLI::Formatter {
 public:
  std::string make_description(CLI::App const* app) const override {
    std::string text = CLI::Formatter::make_description(app);
    if (!app->get_footer().empty()) text += "\n" + app->get_footer() + "\n\n";
    return text;
  }
  std::string make_footer(CLI::App const*) const override { return ""; }
};

}  // namespace

void use_help_text(CLI::App& app) {
  const auto formatter = std::make_shared<examples_first>();
  formatter->column_width(32);
  formatter->label("REQUIRED", "(required)");
  formatter->label("Positionals", "Arguments");
  app.formatter(formatter);
}

void describe_command_line(CLI::App& app) {
  app.name("memprof");
  app.description("Where memory goes in traces, and what limits guarantee.");
  use_help_text(app);
  app.footer(
      "Examples:\n  memprof top a.ctf\n  memprof top --help\n"
      "A trace (FILE) comes from `memprof record`, the library, or OCaml's memtrace.");
  app.set_help_flag("-h,--help", "This text");
  app.set_version_flag("-V,--version", "memprof " MEMPROF_VERSION_STRING
                                       "\ntrace format: versions 1 to 3 read, 2 and 3 written");
}

}  // namespace memprof::tools
