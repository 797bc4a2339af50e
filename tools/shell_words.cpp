// SPDX-License-Identifier: MIT
#include "tools/shell_words.hpp"

namespace memprof::tools {

std::string quoted(std::vector<std::string> const& arguments) {
  constexpr char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_^";
  std::string text;
  for (std::string const& a : arguments) {
    if (!text.empty()) text += ' ';
    if (!a.empty() && a.find_first_not_of(plain) == std::string::npos) {
      text += a;
      continue;
    }
    text += '\'';
    for (const char c : a) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace memprof::tools
