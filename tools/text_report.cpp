// SPDX-License-Identifier: MIT
#include "tools/text_report.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace memprof::tools {

void add_colour_option(CLI::App& app, colour_option& option) {
  app.add_option("--color", option.when, "auto, always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

colours::colours(colour_option const& option, bool to_file) : on_(option.when == "always") {
  if (option.when != "auto" || to_file) return;
  char const* no_colour = std::getenv("NO_COLOR");
  char const* term = std::getenv("TERM");
  on_ = ::isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0') &&
        (term == nullptr || std::strcmp(term, "dumb") != 0);
}

std::string colours::wrap(char const* code, std::string_view text) const {
  if (!on_) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::size_t shown_width(std::string_view text) {
  std::size_t width = 0;
  bool escape = false;
  for (const char c : text) {
    if (c == '\033') {
      escape = true;
    } else if (escape) {
      escape = c != 'm';
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++width;
    }
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return result;
}

text_table::text_table(std::vector<column> columns) : columns_(std::move(columns)) {}

void text_table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string text_table::text(colours const& c) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = shown_width(columns_[i].title);
    for (auto const& row : rows_) width = std::max(width, shown_width(row[i]));
    widths.push_back(width);
  }
  std::string result;
  const auto line = [&](auto const& cell_of) {
    std::size_t owed = 0;  // blanks, written before the next cell that is not empty
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = cell_of(i);
      const std::size_t blanks = widths[i] - shown_width(cell);
      const bool right = columns_[i].side == align::right;
      if (right) owed += blanks;
      if (!cell.empty()) {
        result.append(owed, ' ');
        result += cell;
        owed = 0;
      }
      if (!right) owed += blanks;
      owed += 2;
    }
    result += '\n';
  };
  line([&](std::size_t i) { return c.bold(columns_[i].title); });
  for (auto const& row : rows_) line([&](std::size_t i) { return row[i]; });
  return result;
}

}  // namespace memprof::tools
