// SPDX-License-Identifier: MIT
#include "tools/annotated_source.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tools/report_head.hpp"

namespace memprof::tools {
namespace {

using analysis::annotated_function;
using analysis::measure;

constexpr std::size_t whole_line = 1000;
constexpr std::size_t before_source = 48;  // columns that the numbers take at most
constexpr std::size_t narrowest_page = 60;

/// The numbers of the lines to show: those that allocated, and `context` before and after each.
std::set<std::uint32_t> shown_lines(annotated_function const& f, std::uint32_t context) {
  std::set<std::uint32_t> shown;
  for (analysis::annotated_line const& l : f.lines) {
    if (l.line == 0) continue;
    for (std::uint32_t n = l.line > context ? l.line - context : 1; n <= l.line + context; ++n) {
      shown.insert(n);
    }
  }
  return shown;
}

/// A line of source: tabs become blanks, and it fits the page, as far as that leaves some of it.
std::string source_text(std::string const& line, std::size_t room) {
  std::string text;
  for (const char c : line) {
    if (c == '\t') {
      text.append(8 - text.size() % 8, ' ');
    } else {
      text += c;
    }
  }
  if (shown_width(text) <= room) return text;
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (begins && ++columns > room) break;
  }
  return text.substr(0, end);
}

/// The cells of amounts, with their errors.
std::vector<std::string> cells_of(analysis::usage const& u, analysis::amounts const& sums,
                                  analysis::sample_errors& errors) {
  std::vector<std::string> cells;
  for (const measure m : {measure::allocated, measure::in_use}) {
    const auto e = errors.estimate(amount_of(sums, m).samples, u.moment_of(m));
    cells.push_back(analysis::bytes_text(e.value));
    cells.push_back(error_text(e));
  }
  return cells;
}

std::string sums_text(analysis::usage const& u, analysis::amounts const& sums,
                      analysis::sample_errors& errors) {
  const auto one = [&](measure m) {
    return interval_text(errors.estimate(amount_of(sums, m).samples, u.moment_of(m)));
  };
  return fmt::format("allocated {}; in use at the end {}", one(measure::allocated),
                     one(measure::in_use));
}

}  // namespace

std::string annotated_source(analysis::usage const& u, annotated_function const& f,
                             analysis::sample_errors& errors,
                             page_server::source_files const& sources,
                             annotated_source_style const& style) {
  std::string text =
      fmt::format("{}\n{}: {}\n\n", style.colour.bold(printable(f.name)),
                  f.file.empty() ? "its source file is not known" : printable(f.file),
                  sums_text(u, f.sums, errors));
  std::string why;
  auto const source = f.file.empty() ? std::nullopt : sources.read(f.file, why);
  if (!why.empty()) text += fmt::format("(no lines: {})\n", printable(why));

  text_table table({{"through it", align::right},
                    {"error", align::right},
                    {"in use", align::right},
                    {"error", align::right},
                    {"line", align::right},
                    {"source", align::left}});
  const auto add = [&](std::vector<std::string> cells, std::string line, std::string code) {
    cells.resize(4);
    cells.push_back(std::move(line));
    cells.push_back(std::move(code));
    table.add(std::move(cells));
  };
  const std::size_t room = style.page.width == 0
                               ? whole_line
                               : std::max(style.page.width, narrowest_page) - before_source;
  std::map<std::uint32_t, std::vector<std::string>> amounts;
  for (analysis::annotated_line const& l : f.lines) amounts[l.line] = cells_of(u, l.sums, errors);
  if (const auto unknown = amounts.find(0); unknown != amounts.end()) {
    add(unknown->second, "?", "");
  }
  std::uint32_t before = 0;
  for (const std::uint32_t n : shown_lines(f, source ? style.context : 0)) {
    const bool there = source && n <= source->size();
    const auto known = amounts.find(n);
    if (!there && known == amounts.end()) continue;
    if (source && before != 0 && n > before + 1) add({}, "...", "");
    before = n;
    add(known == amounts.end() ? std::vector<std::string>() : known->second, std::to_string(n),
        there ? source_text((*source)[n - 1], room) : "");
  }
  return text + table.text(style.colour) + '\n';
}

}  // namespace memprof::tools
