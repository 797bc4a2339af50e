// SPDX-License-Identifier: MIT
#include "export/names.hpp"

#include <fmt/format.h>

namespace memprof::exports {
namespace {

/// The length of the UTF-8 character at the beginning of `text`; 0 if it is invalid.
std::size_t character(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = at(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second > 0x9f;
  const bool too_large = first == 0xf4 && second > 0x8f;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

std::string utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character(text);
    result += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : utf8(text)) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

frame no_backtrace() { return {.function = "(no backtrace)", .file = {}}; }

std::vector<frame> frames_of(analysis::code_table::id code, analysis::code_table const& codes) {
  const auto known = codes.frames(code);
  if (known.empty()) return {{.function = fmt::format("{:#x}", codes.code(code)), .file = {}}};
  constexpr std::uint32_t unknown_column = 1023;  // "that or more"
  std::vector<frame> result;
  result.reserve(known.size());
  for (analysis::frame const& f : known) {
    std::string const& name = codes.functions().text(f.function);
    result.push_back({name.empty() ? "??" : name, codes.files().text(f.file), f.line,
                      f.start_char < unknown_column ? f.start_char : 0});
  }
  return result;
}

std::string functions_text(analysis::code_table::id code, analysis::code_table const& codes) {
  std::string text;
  for (frame const& f : frames_of(code, codes)) {
    if (!text.empty()) text += ';';
    for (const char c : utf8(f.function)) {
      text += c == ';' ? ':' : static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return text;
}

}  // namespace memprof::exports
