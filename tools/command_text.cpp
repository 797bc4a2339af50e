// SPDX-License-Identifier: MIT
#include "tools/command_text.hpp"

#include <CLI/CLI.hpp>
#include <sstream>
#include <string_view>

#include "tools/commands.hpp"
#include "tools/help_text.hpp"

namespace memprof::tools {
namespace {

std::vector<std::string> split_text(std::string const& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// CLI11 writes "WHAT:{a,b}": the name of the value, and what each validator says.
void read_type(CLI::Option const& o, option_text& result) {
  const std::string type = o.get_type_name();
  const std::size_t colon = type.find(':');
  result.values = split_text(type.substr(0, colon), ' ');
  const std::size_t begin = type.find(":{");
  const std::size_t end = type.find('}');
  if (begin != std::string::npos && end != std::string::npos && begin < end) {
    result.choices = split_text(type.substr(begin + 2, end - begin - 2), ',');
  }
}

option_text text_of(CLI::Option const& o) {
  option_text result;
  if (o.get_positional()) {
    result.names = {o.get_name(true)};
  } else {
    for (std::string const& n : o.get_snames()) result.names.push_back("-" + n);
    for (std::string const& n : o.get_lnames()) result.names.push_back("--" + n);
  }
  if (o.get_items_expected_max() > 0) read_type(o, result);
  result.text = o.get_description();
  result.group = o.get_group() == "Options" ? "" : o.get_group();
  result.repeats = o.get_expected_max() > 1 && o.get_items_expected_min() < 2;
  result.required = o.get_required();
  return result;
}

command_text text_of(CLI::App const& app, std::string name) {
  command_text result;
  result.name = std::move(name);
  result.brief = app.get_description();
  bool in_examples = false;
  for (std::string const& line : split_text(app.get_footer(), '\n')) {
    if (line == "Examples:") {
      in_examples = true;
    } else if (in_examples && line.starts_with("  ")) {
      result.examples.push_back(line.substr(2));
    } else {
      in_examples = false;
      result.notes.push_back(line);
    }
  }
  for (CLI::Option const* o : app.get_options()) {
    if (o->get_group().empty()) continue;  // hidden
    (o->get_positional() ? result.arguments : result.options).push_back(text_of(*o));
  }
  return result;
}

}  // namespace

std::vector<command_text> command_texts() {
  CLI::App app;
  describe_command_line(app);
  std::vector<command_text> result = {text_of(app, "")};
  for (command_entry const& entry : all_commands()) {
    const command c = entry.add(app);
    result.push_back(text_of(*c.app, std::string(entry.name)));
  }
  return result;
}

}  // namespace memprof::tools
