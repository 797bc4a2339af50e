// SPDX-License-Identifier: MIT
#include "export/names.hpp"

#include <fmt/format.h>

namespace memprof::exports {
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

std::string function_text(frame const& f) {
  std::string text = std::string(utf8(f.function));
  for (char& c : text) c = c == ';' ? ':' : static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return text;
}

std::string functions_text(analysis::code_table::id code, analysis::code_table const& codes) {
  std::string text;
  for (frame const& f : frames_of(code, codes)) {
    if (!text.empty()) text += ';';
    text += function_text(f);
  }
  return text;
}

}  // namespace memprof::exports
