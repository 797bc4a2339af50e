// SPDX-License-Identifier: MIT
#include "tools/help_text.hpp"

#include <CLI/CLI.hpp>
#include <memory>

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

}  // namespace memprof::tools
