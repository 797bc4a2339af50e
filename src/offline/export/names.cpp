// SPDX-License-Identifier: MIT
#include "export/names.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace memprof::exports {
std::string csv_field(std::string_view text) {
  std::string shown = text::printable(text);
  if (!shown.empty() && std::string_view{"=+-@"}.find(shown.front()) != std::string_view::npos) {
    shown.insert(0, 1, '\'');
  }
  if (shown.find_first_of(",\"") == std::string::npos) return shown;
  std::string result = "\"";
  for (const char c : shown) {
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
    result.push_back({name.empty() ? "??" : text::printable(name),
                      text::printable(codes.files().text(f.file)), f.line,
                      f.start_char < unknown_column ? f.start_char : 0});
  }
  return result;
}

std::string function_text(frame const& f) {
  std::string name = f.function;
  std::ranges::replace(name, ';', ':');
  return name;
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
