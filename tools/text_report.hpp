// SPDX-License-Identifier: MIT
/// \file
/// Reports for people: tables, with colour if wanted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/text.hpp"

namespace CLI {
class App;
}

namespace memprof::tools {

/// --color=auto|always|never
struct colour_option {
  std::string when = "auto";
};
void add_colour_option(CLI::App& app, colour_option& option);

/// Escape sequences, or nothing.
class colours {
 public:
  ///  - `auto`: if standard output is a terminal, TERM is not "dumb", and NO_COLOR is empty or not
  ///    set. NO_COLOR yields to always.
  /// \param to_file the report goes to a file: auto means never.
  explicit colours(colour_option const& option, bool to_file = false);
  [[nodiscard]] bool on() const noexcept { return on_; }
  [[nodiscard]] std::string bold(std::string_view text) const { return wrap("1", text); }
  [[nodiscard]] std::string red(std::string_view text) const { return wrap("31", text); }
  [[nodiscard]] std::string green(std::string_view text) const { return wrap("32", text); }

 private:
  [[nodiscard]] std::string wrap(char const* code, std::string_view text) const;
  bool on_;
};

/// --full-names
struct name_option {
  bool full = false;
};
void add_name_option(CLI::App& app, name_option& option);

/// How wide a report may be.
///
///  - `width`: columns; 0: as wide as it gets.
///  - `utf8`: signs outside of ASCII may be used.
///  - `given`: the width is that of a terminal, or COLUMNS: prose is wrapped, too.
struct page {
  std::size_t width = 0;
  bool utf8 = false;
  bool given = false;
};
/// COLUMNS if it is set, else the width of the terminal, else 120. UTF-8 by the locale (LC_ALL,
/// LC_CTYPE, LANG).
///
/// \param to_file the report goes to a file, not to standard output.
[[nodiscard]] page page_of(name_option const& option, bool to_file = false);

enum class align { left, right };

/// Columns as wide as their widest cell, two blanks apart; no blanks at the ends of lines.
///
///     text_table t({{"bytes", align::right}, {"function", align::left}});
///     t.add({"1.50 MiB", "f"});
///     out.write(t.text(colours));
class text_table {
 public:
  ///  - `dispensable`: where the page is too narrow for names, columns are left out, those of the
  ///    highest number first; not those of 0.
  struct column {
    std::string title;
    align side = align::left;
    int dispensable = 0;
  };
  explicit text_table(std::vector<column> columns);
  /// \param cells as many as columns. They may hold escape sequences, and UTF-8.
  void add(std::vector<std::string> cells);
  /// The last cell is `before` and a function's name, which is made printable and may be shortened
  /// by text(c, page).
  void add_named(std::vector<std::string> cells, std::string before, std::string_view name);
  [[nodiscard]] std::string text(colours const& c) const { return text(c, {}); }
  /// Lines that fit the page, as far as names can be shortened (symbolize/brief_name.hpp).
  [[nodiscard]] std::string text(colours const& c, page const& fits) const;

 private:
  struct row {
    std::vector<std::string> cells;
    std::string name;  // the end of the last cell; empty: the cell is not shortened
  };
  [[nodiscard]] std::size_t width_of(std::size_t column) const;
  [[nodiscard]] std::vector<std::size_t> shown_columns(page const& fits) const;

  std::vector<column> columns_;
  std::vector<row> rows_;
};

/// Columns that `text` takes on a terminal: code points, escape sequences left out.
[[nodiscard]] std::size_t shown_width(std::string_view text);

/// Lines that fit the page, if its width was given: broken after ';' or else at a blank, and going
/// on behind two blanks. A word that is longer than a line stays whole.
[[nodiscard]] std::string wrapped(std::string_view lines, page const& fits);

using text::printable;

}  // namespace memprof::tools
