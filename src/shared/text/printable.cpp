// SPDX-License-Identifier: MIT
#include "text/printable.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include "base/base.hpp"

namespace memprof::text {
namespace {

/// Those of `colours` in reports.
constexpr std::array<std::string_view, 5> styles{"\033[0m", "\033[1m", "\033[2m", "\033[31m",
                                                 "\033[32m"};
constexpr std::size_t longest = 4;  // a character or style that is not complete yet

/// Nearly all text: without a branch for each byte, because dumps have gigabytes.
bool is_plain(std::string_view lines) {
  unsigned odd = 0;
  for (const char c : lines) {
    const auto byte = static_cast<unsigned char>(c);
    odd |= static_cast<unsigned>((byte < 0x20 && byte != '\n') || byte > 0x7e);
  }
  return odd == 0;
}

/// Bytes at the beginning that are written as they are: a style or the end of a line; 0: none.
std::size_t own(std::string_view text, bool styled) {
  if (text.starts_with('\n')) return 1;
  if (text.starts_with("\r\n")) return 2;
  if (!styled) return 0;
  for (const std::string_view s : styles) {
    if (text.starts_with(s)) return s.size();
  }
  return 0;
}

/// More bytes could make a character, a style or an end of a line of it.
bool is_unfinished(std::string_view text, bool styled) {
  if (text == "\r") return true;
  if (styled && text.front() == '\033') {
    return std::ranges::any_of(styles, [&](auto s) { return s != text && s.starts_with(text); });
  }
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  return text.size() < length && std::ranges::all_of(text.substr(1), [](char c) {
           return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
         });
}

}  // namespace

std::string printable(std::string_view name) {
  std::string result;
  result.reserve(name.size());
  base::escape_room room;
  while (!name.empty()) result += base::next_printable(name, room);
  return result;
}

void put_printable(std::ostream& out, std::string_view name) {
  base::escape_room room;
  while (!name.empty()) out << base::next_printable(name, room);
}

void printable_lines::add(std::string_view lines, std::string& out) {
  if (kept_.empty() && is_plain(lines)) {
    out += lines;
    return;
  }
  if (kept_.empty()) return add_escaped(lines, false, out);
  kept_ += lines;
  const std::string all = std::exchange(kept_, {});
  add_escaped(all, false, out);
}

void printable_lines::finish(std::string& out) {
  const std::string all = std::exchange(kept_, {});
  add_escaped(all, true, out);
}

void printable_lines::add_escaped(std::string_view lines, bool last, std::string& out) {
  base::escape_room room;
  while (!lines.empty()) {
    if (const std::size_t n = own(lines, styled_); n > 0) {
      out += lines.substr(0, n);
      lines.remove_prefix(n);
      continue;
    }
    if (!last && lines.size() <= longest && is_unfinished(lines, styled_)) {
      kept_ = lines;
      return;
    }
    const base::character c = base::first_character(lines);
    out +=
        c.valid && base::is_printable(c.code) ? lines.substr(0, c.length) : base::escape(c, room);
    lines.remove_prefix(c.length);
  }
}

std::string with_printable_lines(std::string_view lines, bool styled) {
  std::string result;
  printable_lines filter(styled);
  filter.add(lines, result);
  filter.finish(result);
  return result;
}

}  // namespace memprof::text
