// SPDX-License-Identifier: MIT
#include "tools/text_report.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <langinfo.h>
#include <locale.h>
#include <numeric>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include "symbolize/symbolize.hpp"

namespace memprof::tools {
namespace {

/// The width of a report for a file or a pipe.
constexpr std::size_t without_terminal = 120;
/// Columns are left out until names have this much, and names are never shorter than that.
constexpr std::size_t least_room = 36;
constexpr std::size_t shortest_room = 20;

}  // namespace

void add_colour_option(CLI::App& app, colour_option& option) {
  app.add_option("--color", option.when, "auto, always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

void add_name_option(CLI::App& app, name_option& option) {
  app.add_flag("--full-names", option.full,
               "Whole names; without it they are shortened to the width of the terminal (or "
               "COLUMNS; 120 if there is none)");
}

page page_of(name_option const& option, bool to_file) {
  page result;
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", locale_t{});
  if (locale != locale_t{}) {
    result.utf8 = std::string_view{::nl_langinfo_l(CODESET, locale)} == "UTF-8";
    ::freelocale(locale);
  }
  if (option.full) return result;
  result.width = without_terminal;
  struct winsize size {};
  if (!to_file && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    result.width = size.ws_col;
    result.given = true;
  }
  if (char const* const columns = std::getenv("COLUMNS")) {
    std::size_t n = 0;
    char const* const end = columns + std::strlen(columns);
    const auto [stop, error] = std::from_chars(columns, end, n);
    if (error == std::errc{} && stop == end && n > 0) {
      result.width = n;
      result.given = true;
    }
  }
  return result;
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

std::string wrapped(std::string_view lines, page const& fits) {
  if (!fits.given || fits.width == 0) return std::string(lines);
  std::string result;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view rest = lines.substr(0, end);
    std::size_t room = fits.width;
    while (shown_width(rest) > room) {
      std::size_t at = rest.npos, semicolon = rest.npos;
      for (std::size_t i = rest.find(' '); i != rest.npos; i = rest.find(' ', i + 1)) {
        if (at != rest.npos && shown_width(rest.substr(0, i)) > room) break;
        at = i;
        if (i > 0 && rest[i - 1] == ';' && shown_width(rest.substr(0, i)) <= room) semicolon = i;
      }
      if (semicolon != rest.npos) at = semicolon;
      if (at == rest.npos) break;
      result.append(rest.substr(0, at)).append("\n  ");
      rest.remove_prefix(at + 1);
      room = std::max<std::size_t>(fits.width, 3) - 2;
    }
    result.append(rest);
    if (end < lines.size()) result += '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return result;
}

text_table::text_table(std::vector<column> columns) : columns_(std::move(columns)) {}

void text_table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), {}});
}

void text_table::add_named(std::vector<std::string> cells, std::string before,
                           std::string_view name) {
  cells.resize(columns_.size());
  cells.back() = std::move(before);
  rows_.push_back({std::move(cells), printable(name)});
}

/// Without names.
std::size_t text_table::width_of(std::size_t number) const {
  std::size_t width = shown_width(columns_[number].title);
  for (auto const& r : rows_) width = std::max(width, shown_width(r.cells[number]));
  return width;
}

/// Those that leave enough room for the names, if there are enough that can go.
std::vector<std::size_t> text_table::shown_columns(page const& fits) const {
  std::vector<std::size_t> shown(columns_.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  std::size_t longest = 0;
  for (auto const& r : rows_) {
    longest = std::max(longest, shown_width(r.cells.back()) + shown_width(r.name));
  }
  const auto taken = [&] {
    std::size_t all = std::min(longest, least_room);
    for (const std::size_t i : shown) {
      if (i + 1 < columns_.size()) all += width_of(i) + 2;
    }
    return all;
  };
  while (fits.width != 0 && taken() > fits.width) {
    const auto next =
        std::ranges::max_element(shown, {}, [&](std::size_t i) { return columns_[i].dispensable; });
    if (columns_[*next].dispensable == 0) break;
    shown.erase(next);
  }
  return shown;
}

std::string text_table::text(colours const& c, page const& fits) const {
  const std::vector<std::size_t> shown = shown_columns(fits);
  std::vector<std::size_t> widths;
  std::size_t before_names = 0;
  for (const std::size_t i : shown) {
    widths.push_back(width_of(i));
    if (i + 1 < columns_.size()) before_names += widths.back() + 2;
  }
  std::string result;
  const auto line = [&](auto const& cell_of) {
    std::size_t owed = 0;  // blanks, written before the next cell that is not empty
    for (std::size_t k = 0; k < shown.size(); ++k) {
      const std::string cell = cell_of(shown[k]);
      const std::size_t width = shown_width(cell);
      const std::size_t blanks = widths[k] - std::min(width, widths[k]);
      const bool right = columns_[shown[k]].side == align::right;
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
  for (auto const& r : rows_) {
    line([&](std::size_t i) {
      if (i + 1 < columns_.size() || r.name.empty()) return r.cells[i];
      if (fits.width == 0) return r.cells[i] + r.name;
      const std::size_t used = before_names + shown_width(r.cells[i]);
      const std::size_t room = fits.width > used ? fits.width - used : 0;
      return r.cells[i] +
             symbolize::brief_name(r.name, std::max(room, shortest_room),
                                   fits.utf8 ? symbolize::utf8_elision : symbolize::ascii_elision);
    });
  }
  return result;
}

}  // namespace memprof::tools
