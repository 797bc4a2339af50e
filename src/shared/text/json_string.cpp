// SPDX-License-Identifier: MIT
#include "text/json_string.hpp"

#include <algorithm>
#include <cstdint>

#include "base/base.hpp"

namespace memprof::text {
namespace {

void add_unit(std::uint32_t unit, std::string& to) {
  static constexpr char digits[] = "0123456789abcdef";
  to += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) to += digits[unit >> shift & 15];
}

/// In UTF-16, as JSON has it.
void add_escape(std::uint32_t code, std::string& to) {
  if (code <= 0xffff) return add_unit(code, to);
  add_unit(0xd800 + ((code - 0x10000) >> 10), to);
  add_unit(0xdc00 + ((code - 0x10000) & 0x3ff), to);
}

/// The first character, taken off `text`.
void add_character(std::string_view& text, std::string& to) {
  const base::character c = base::first_character(text);
  if (!c.valid) {
    to += "\xef\xbf\xbd";
  } else if (!base::is_printable(c.code)) {
    add_escape(c.code, to);
  } else {
    to += text.substr(0, c.length);
  }
  text.remove_prefix(c.length);
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    if (text.front() == '"' || text.front() == '\\') result += '\\';
    add_character(text, result);
  }
  return result + '"';
}

std::string printable_json(std::string json) {
  const bool plain =
      std::ranges::all_of(json, [](char c) { return static_cast<unsigned char>(c) < 0x7f; });
  if (plain) return json;
  std::string result;
  result.reserve(json.size());
  for (std::string_view rest = json; !rest.empty();) {
    // Control characters are escaped in strings, and between them only lay it out.
    if (static_cast<unsigned char>(rest.front()) < 0x20) {
      result += rest.front();
      rest.remove_prefix(1);
    } else {
      add_character(rest, result);
    }
  }
  return result;
}

}  // namespace memprof::text
