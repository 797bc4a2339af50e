// SPDX-License-Identifier: MIT
/// \file
/// Reports for people: tables, with colour if wanted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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
  /// auto        if standard output is a terminal, TERM is not "dumb", and NO_COLOR is empty or not
  ///             set. NO_COLOR yields to always.
  /// to_file     the report goes to a file: auto means never.
  explicit colours(colour_option const& option, bool to_file = false);
  [[nodiscard]] bool on() const noexcept { return on_; }
  [[nodiscard]] std::string bold(std::string_view text) const { return wrap("1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return wrap("2", text); }
  [[nodiscard]] std::string red(std::string_view text) const { return wrap("31", text); }
  [[nodiscard]] std::string green(std::string_view text) const { return wrap("32", text); }

 private:
  [[nodiscard]] std::string wrap(char const* code, std::string_view text) const;
  bool on_;
};

enum class align { left, right };

/// Columns as wide as their widest cell, two blanks apart; no blanks at the ends of lines.
///
///     text_table t({{"bytes", align::right}, {"function", align::left}});
///     t.add({"1.50 MiB", "f"});
///     out.write(t.text(colours));
class text_table {
 public:
  struct column {
    std::string title;
    align side = align::left;
  };
  explicit text_table(std::vector<column> columns);
  /// cells       as many as columns. They may hold escape sequences, and UTF-8.
  void add(std::vector<std::string> cells);
  [[nodiscard]] std::string text(colours const& c) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Columns that `text` takes on a terminal: code points, escape sequences left out.
[[nodiscard]] std::size_t shown_width(std::string_view text);

/// Text from a trace as it may go to a terminal: control characters become "?".
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace memprof::tools
