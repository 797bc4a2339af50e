// SPDX-License-Identifier: MIT
#include "tools/manual_page.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <stdexcept>
#include <string_view>

#include "memprof/version.hpp"

namespace memprof::tools {
namespace {

/// As text that roff prints as it is.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  if (result.starts_with('.') || result.starts_with('\'')) result.insert(0, "\\&");
  return result;
}

/// In lines of at most 80 bytes, as mandoc wants them, unless a word is longer.
std::string filled(std::string_view text) {
  std::string page, line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string longer =
        line + (line.empty() ? "" : " ") + std::string(text.substr(begin, end - begin));
    if (end == begin) {  // two spaces
    } else if (roff(longer).size() > 80 && !line.empty()) {
      page += roff(line) + "\n";
      line = text.substr(begin, end - begin);
    } else {
      line = longer;
    }
    begin = end + 1;
  }
  return page + roff(line) + "\n";
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string date_of_page() {
  std::time_t now = std::time(nullptr);
  if (char const* const epoch = std::getenv("SOURCE_DATE_EPOCH"); epoch != nullptr && *epoch != 0) {
    char* end = nullptr;
    now = static_cast<std::time_t>(std::strtoll(epoch, &end, 10));
    if (*end != 0)
      throw std::runtime_error(fmt::format("SOURCE_DATE_EPOCH: '{}' is no time", epoch));
  }
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(now));
}

/// Lines that roff fills, and others that it leaves alone.
std::string paragraphs(std::vector<std::string> const& lines) {
  std::string page;
  bool as_is = false;
  for (std::string const& line : lines) {
    const bool literal = line.starts_with(' ');
    if (literal != as_is) page += literal ? ".PP\n.nf\n" : ".fi\n.PP\n";
    as_is = literal;
    if (line.empty()) {
      page += ".PP\n";
    } else {
      page += literal ? roff(line) + "\n" : filled(line);
    }
  }
  if (as_is) page += ".fi\n";
  return page;
}

std::string option_entry(option_text const& o) {
  std::string page = ".TP\n";
  for (std::size_t i = 0; i < o.names.size(); ++i) {
    if (i > 0) page += ", ";
    page += bold(o.names[i]);
  }
  for (std::string const& v : o.values) page += " " + italic(v);
  if (o.repeats) page += " ...";
  page += "\n";
  if (!o.text.empty()) page += filled(o.text);
  if (!o.choices.empty()) page += filled(fmt::format("One of: {}.", fmt::join(o.choices, ", ")));
  if (o.required) page += "(required)\n";
  return page;
}

std::string argument_entry(option_text const& o) {
  std::string page = ".TP\n" + italic(o.names.front()) + (o.repeats ? " ...\n" : "\n");
  return page + filled(o.text);
}

std::string synopsis(command_text const& c) {
  if (c.name.empty()) {
    return ".B memprof\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]\n";
  }
  std::string line = "[\\fIOPTIONS\\fR]";
  for (option_text const& a : c.arguments) {
    const std::string name = italic(a.names.front()) + (a.repeats ? " ..." : "");
    line += a.required ? " " + name : " [" + name + "]";
  }
  return ".B memprof " + roff(c.name) + "\n" + line + "\n";
}

}  // namespace

std::string manual_page_name(command_text const& command) {
  return command.name.empty() ? "memprof" : "memprof-" + command.name;
}

std::string manual_page(command_text const& command, std::span<command_text const> all) {
  const std::string name = manual_page_name(command);
  std::string title = name;
  for (char& c : title) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  std::string page =
      fmt::format(".TH {} 1 {} \"memprof {}\" \"memprof\"\n.SH NAME\n{}.SH SYNOPSIS\n{}",
                  roff(title), date_of_page(), MEMPROF_VERSION_STRING,
                  filled(name + " - " + command.brief), synopsis(command));
  if (!command.notes.empty()) page += ".SH DESCRIPTION\n" + paragraphs(command.notes);
  if (!command.arguments.empty()) page += ".SH ARGUMENTS\n";
  for (option_text const& a : command.arguments) page += argument_entry(a);
  page += ".SH OPTIONS\n";
  std::string group;
  for (option_text const& o : command.options) {
    if (o.group != group) page += ".SS \"" + roff(o.group) + "\"\n";
    group = o.group;
    page += option_entry(o);
  }
  if (command.name.empty()) {
    page += ".SH COMMANDS\n";
    for (command_text const& c : all) {
      if (!c.name.empty()) page += ".TP\n" + bold(c.name) + "\n" + roff(c.brief) + "\n";
    }
  }
  page +=
      ".SH EXIT STATUS\n0: done; 1: failed; 2: the command line is wrong.\n"
      "A command with others says so above.\n";
  if (!command.examples.empty()) {
    page += ".SH EXAMPLES\n.nf\n";
    for (std::string const& line : command.examples) page += roff(line) + "\n";
    page += ".fi\n";
  }
  page += ".SH SEE ALSO\n";
  if (!command.name.empty()) return page + ".BR memprof (1)\n";
  for (command_text const& c : all) {
    if (c.name.empty()) continue;
    page += fmt::format(".BR {} (1){}\n", roff(manual_page_name(c)), &c == &all.back() ? "" : ",");
  }
  return page;
}

}  // namespace memprof::tools
